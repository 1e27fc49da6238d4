package org.restheart.core.noninterference;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.restheart.core.noninterference.FuzzRequest.Part;
import org.restheart.testkit.wire.WireConnection;

/// A client's kept connection to one world.
final class Lane implements AutoCloseable {
    private final World world;
    private @Nullable WireConnection connection;
    private Answer last = Answer.NONE;
    private @Nullable IOException failure;

    Lane(World world) {
        this.world = world;
    }

    /// @param user empty for nobody
    void send(FuzzRequest request, String user) {
        failure = null;
        try {
            if (connection == null) {
                connection = new WireConnection(world.port(), Duration.ofSeconds(30));
            }
            connection.send(request.toWire(world.database(), last, standing(request, user)));
        } catch (IOException e) {
            failure = e;
        }
    }

    private static List<Part> standing(FuzzRequest request, String user) {
        var standing =
                new java.util.ArrayList<>(List.of(new Part("Host", "test"), new Part("Connection", "keep-alive")));
        if (!user.isEmpty()) {
            var credentials = (user + ":pw").getBytes(StandardCharsets.UTF_8);
            standing.add(
                    new Part("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials)));
        }
        if (!FuzzRequest.text(request.body()).isEmpty()
                && request.headers().stream().noneMatch(h -> h.name().equals("Content-Type"))) {
            standing.add(new Part("Content-Type", "application/json"));
        }
        return standing;
    }

    Answer receive() {
        try {
            if (failure != null) {
                throw failure;
            }
            last = Answer.of(java.util.Objects.requireNonNull(connection).receive(), world.database(), last);
            if (last.ends()) {
                close();
            }
            return last;
        } catch (SocketTimeoutException e) {
            close();
            return new Answer("000 no answer within half a minute", last.tag(), last.after(), true);
        } catch (IOException e) {
            close();
            return new Answer("000 the connection broke", last.tag(), last.after(), true);
        }
    }

    /// As if nothing had been answered before.
    void forget() {
        last = Answer.NONE;
    }

    @Override
    public void close() {
        try {
            if (connection != null) {
                connection.close();
            }
        } catch (IOException _) {
            // it is not used again
        }
        connection = null;
    }
}
