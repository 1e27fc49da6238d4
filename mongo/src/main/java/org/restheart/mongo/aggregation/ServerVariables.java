package org.restheart.mongo.aggregation;

import java.util.Optional;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonValue;
import org.restheart.http.access.Account;
import org.restheart.http.access.Grant;
import org.restheart.mongo.exchange.DataRequest;
import org.restheart.mongo.parameter.Paging;

/// The variables whose names begin with `@`: the caller, its grant, and the requested page. Clients cannot set them.
public final class ServerVariables {
    private ServerVariables() {}

    /// The client's variables and the server's.
    public static PipelineVariables with(DataRequest request) {
        var all = new BsonDocument();
        request.parameters().aggregationVariables().ifPresent(all::putAll);
        addPaging(all, request.parameters().find().paging());
        addUser(all, request.http().caller().account());
        addPermissions(all, request.grant());
        return new PipelineVariables(all);
    }

    private static void addPaging(BsonDocument all, Paging paging) {
        var size = new BsonInt32(paging.pageSize());
        all.append("@page", new BsonInt32(paging.page()))
                .append("@pagesize", size)
                .append("@limit", size)
                .append("@skip", number(paging.skip()));
    }

    private static BsonValue number(long value) {
        return value <= Integer.MAX_VALUE ? new BsonInt32((int) value) : new BsonInt64(value);
    }

    private static void addUser(BsonDocument all, Optional<Account> account) {
        all.append("@user", account.<BsonValue>map(Account::properties).orElse(BsonNull.VALUE));
        account.ifPresent(known -> known.properties().forEach((name, value) -> all.append("@user." + name, value)));
    }

    private static void addPermissions(BsonDocument all, Grant grant) {
        var values = new BsonDocument()
                .append("readFilter", orNull(grant.readFilter()))
                .append("writeFilter", orNull(grant.writeFilter()))
                .append("mergeRequest", orNull(grant.mergeRequest()))
                .append("projectResponse", orNull(grant.projectResponse()));
        values.forEach((name, value) -> all.append("@mongoPermissions." + name, value));
        all.append(
                "@mongoPermissions",
                values.append("allowManagementRequests", BsonBoolean.valueOf(grant.allowManagementRequests()))
                        .append("allowWriteMode", BsonBoolean.valueOf(grant.allowWriteMode()))
                        .append("allowBulkPatch", BsonBoolean.valueOf(grant.allowBulkPatch()))
                        .append("allowBulkDelete", BsonBoolean.valueOf(grant.allowBulkDelete())));
    }

    private static BsonValue orNull(Optional<BsonDocument> value) {
        return value.<BsonValue>map(document -> document).orElse(BsonNull.VALUE);
    }
}
