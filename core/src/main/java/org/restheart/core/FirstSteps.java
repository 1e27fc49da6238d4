package org.restheart.core;

import java.io.PrintStream;
import java.net.URI;
import java.util.Optional;
import org.restheart.core.config.DefaultAccount;

/// Prints example commands for new users.
final class FirstSteps {
    private FirstSteps() {}

    /// Prints three commands. They have `-g`, so that curl does not interpret the braces of the last one.
    ///
    /// @param console where the console is
    /// @param defaultAccount whether the default account with its default password is accepted
    static void print(PrintStream out, URI uri, Optional<URI> console, boolean defaultAccount) {
        var user = defaultAccount ? DefaultAccount.NAME + ":" + DefaultAccount.PASSWORD : "USER:PASSWORD";
        var curl = "  curl -ig -u " + user;
        out.println();
        if (defaultAccount) {
            out.println("Sign in as " + DefaultAccount.NAME + " with password " + DefaultAccount.PASSWORD + ". Try:");
        } else {
            out.println("Try:");
        }
        out.println(curl + " -X PUT " + uri + "/ " + uri + "/books");
        out.println(
                curl + " -d '{\"title\": \"The Periodic Table\", \"year\": 1975}' -H 'Content-Type: application/json' "
                        + uri + "/books");
        out.println(curl + " '" + uri + "/books?filter={\"year\":1975}'");
        console.ifPresent(page -> out.println("In a browser: " + page));
        out.println();
        out.flush();
    }
}
