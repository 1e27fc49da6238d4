package org.restheart.perftest.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;

/// Ends a child process when its parent closes its standard input.
public final class Lifeline {
    private Lifeline() {}

    /// Ends this process when its parent does, from now on; for processes with something else to do meanwhile.
    public static void endWithParent() {
        Thread.ofPlatform().daemon().name("lifeline").start(() -> {
            awaitEndOfInput();
            Runtime.getRuntime().halt(1);
        });
    }

    static void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                // a parent has nothing to say here
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
