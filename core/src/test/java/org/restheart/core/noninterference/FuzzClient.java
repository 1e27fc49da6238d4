package org.restheart.core.noninterference;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.restheart.core.noninterference.FuzzRequest.Part;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.wire.WireConnection;

/// A persistent connection to one instance.
final class FuzzClient implements AutoCloseable {
    private final GatewayInstance instance;
    private @Nullable WireConnection connection;
    private ObservedResponse last = ObservedResponse.NONE;
    private @Nullable IOException failure;

    FuzzClient(GatewayInstance instance) {
        this.instance = instance;
    }

    /// @param user empty for no credentials
    void send(FuzzRequest request, String user) {
        failure = null;
        try {
            if (connection == null) {
                connection = new WireConnection(instance.port(), Duration.ofSeconds(30));
            }
            connection.send(request.toWire(instance.database(), last, standing(request, user)));
        } catch (IOException e) {
            failure = e;
        }
    }

    private static List<Part> standing(FuzzRequest request, String user) {
        var standing =
                new java.util.ArrayList<>(List.of(new Part("Host", "test"), new Part("Connection", "keep-alive")));
        if (!user.isEmpty()) {
            standing.add(new Part("Authorization", TestClient.basic(user, "pw")));
        }
        if (!FuzzRequest.text(request.body()).isEmpty()
                && request.headers().stream().noneMatch(h -> h.name().equals("Content-Type"))) {
            standing.add(new Part("Content-Type", "application/json"));
        }
        return standing;
    }

    ObservedResponse receive() {
        try {
            if (failure != null) {
                throw failure;
            }
            last = ObservedResponse.of(
                    java.util.Objects.requireNonNull(connection).receive(), instance.database(), last);
            if (last.ends()) {
                close();
            }
            return last;
        } catch (SocketTimeoutException e) {
            close();
            return new ObservedResponse("000 no response within 30 s", last.tag(), last.after(), true);
        } catch (IOException e) {
            close();
            return new ObservedResponse("000 the connection broke", last.tag(), last.after(), true);
        }
    }

    /// Forgets tags and bookmarks of earlier responses.
    void forget() {
        last = ObservedResponse.NONE;
    }

    @Override
    public void close() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (IOException _) {
            // the connection is not used again
        }
        connection = null;
    }
}
