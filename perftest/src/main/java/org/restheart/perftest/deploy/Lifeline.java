package org.restheart.perftest.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;

/// A child process lives as long as its parent keeps its standard input open.
final class Lifeline {
    private Lifeline() {}

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
