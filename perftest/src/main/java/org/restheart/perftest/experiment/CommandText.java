package org.restheart.perftest.experiment;

/// How this run was called, without its secrets.
final class CommandText {
    private CommandText() {}

    static String ofThisProcess() {
        return withoutSecrets(System.getProperty("sun.java.command", "").replaceFirst("^\\S+", "./perftest/run"));
    }

    static String withoutSecrets(String command) {
        return command.replaceAll("(--credentials[ =])\\S+", "$1…")
                .replaceAll("(mongodb(\\+srv)?://)[^@\\s]*@", "$1…@");
    }
}
