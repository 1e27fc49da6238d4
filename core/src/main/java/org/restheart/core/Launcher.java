package org.restheart.core;

import java.lang.reflect.InvocationTargetException;

/// The main class of the jar: compiled for Java 8, so that an older Java can load it and says what is needed,
/// instead of throwing `UnsupportedClassVersionError`. It must use nothing that Java 8 does not have.
public final class Launcher {
    static final int REQUIRED = 25;

    /// The same as [Launch#START].
    private static final int EXIT_CODE = 254;

    private Launcher() {}

    /// Starts [Main], which is found by name since this class is compiled without it, or prints what is needed
    /// and exits.
    public static void main(String[] args) throws Throwable {
        String version = System.getProperty("java.specification.version");
        if (major(version) < REQUIRED) {
            System.err.print(refusal(System.getProperty("java.version"), System.getProperty("java.home")));
            System.exit(EXIT_CODE);
        }
        try {
            Class.forName("org.restheart.core.Main")
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    static int major(String version) {
        String[] parts = version.split("\\.");
        return Integer.parseInt(parts[0].equals("1") && parts.length > 1 ? parts[1] : parts[0]);
    }

    static String refusal(String version, String home) {
        return "RESTHeart needs Java " + REQUIRED + " or newer. This is Java " + version + " in " + home + ".\n"
                + "Get one from https://adoptium.net or by your system's packages (such as temurin-" + REQUIRED
                + "-jre), and start with it:\n"
                + "  /path/to/java-" + REQUIRED + "/bin/java -jar restheart.jar\n";
    }
}
