package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.*;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;

class ShopTest {
    @Test
    void the_greeting_is_that_of_the_settings() throws Exception {
        var config = GatewayConfig.parse("""
            core: {plugins-directory: null}
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {connection-string: 'mongodb://127.0.0.1'}
            shop: {greeting: Ciao, uri: /hi}
            """);
        try (var gateway = Gateway.start(config, new Shop());
                var client = HttpClient.newHttpClient()) {
            var hi = URI.create("http://127.0.0.1:" + gateway.address().getPort() + "/hi?name=Ann");
            var answer = client.send(HttpRequest.newBuilder(hi).build(), HttpResponse.BodyHandlers.ofString());
            assertEquals("{\"msg\": \"Ciao Ann\"}", answer.body());
        }
    }
}
