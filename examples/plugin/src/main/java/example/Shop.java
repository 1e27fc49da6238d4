package example;

import org.bson.*;
import org.restheart.data.Operation;
import org.restheart.http.*;
import org.restheart.plugin.*;

public class Shop implements Plugin {
    public String name() { return "shop"; }

    public void install(Installation to) {
        var greeting = to.settings().text("greeting", "Hello");

        // an endpoint
        to.serve(request -> {
            var name = request.query().first("name").orElse("you");
            return Response.json(200, new BsonDocument("msg", new BsonString(greeting + " " + name)).toJson());
        }, ServicePath.of("/hello").open());

        // orders say who has written them, and are never deleted
        to.operations(Selector.data().collections("restheart/orders"), (request, target) -> switch (target.operation()) {
            case Operation operation when operation.isRemoval() ->
                Verdict.refuse(Problem.of(ProblemCode.CONFLICT, "orders are not deleted"));
            case Operation.Write _ -> Verdict.merge(new BsonDocument("by",
                    new BsonString(request.caller().account().map(account -> account.name()).orElse(""))));
            default -> Verdict.allow();
        });

        // on their way out, of cards only the end
        to.documents(Selector.data().collections("restheart/orders"), (order, request) -> {
            var card = order.getString("card", new BsonString("")).getValue();
            return card.length() < 12 ? order : order.append("card", new BsonString("…" + card.substring(card.length() - 4)));
        });

        // after each new order; here a mail, a queue or a webhook would follow
        to.after(Selector.data().collections("restheart/orders").methods(Method.POST),
                done -> System.out.println("new orders: " + done.ids()));
    }
}
