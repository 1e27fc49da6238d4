package org.restheart.core;

/// The exit codes of the process: the negative numbers of the documentation modulo 256, as a shell reports them.
final class ExitCode {
    static final int OK = 0;

    /// The command line is invalid.
    static final int USAGE = 1;

    /// The configuration is invalid.
    static final int CONFIGURATION = 255;

    /// The server could not start, for example because the port is taken.
    static final int START = 254;

    private ExitCode() {}
}
