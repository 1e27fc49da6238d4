package org.restheart.core;

/// How the process ends. The negative numbers of the documentation, as a shell sees them.
final class ExitCode {
    static final int OK = 0;

    /// The command line cannot be understood.
    static final int USAGE = 1;

    /// The configuration cannot be used.
    static final int CONFIGURATION = 255;

    /// The server could not start, for example because the port is taken.
    static final int START = 254;

    private ExitCode() {}
}
