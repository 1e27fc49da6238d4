package org.restheart.core;

import java.io.PrintStream;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import org.restheart.mongo.resource.Mounts.Mount;
import org.restheart.security.realm.DefaultAccount;

/// Prints example commands for new users.
final class FirstSteps {
    private FirstSteps() {}

    /// Prints three commands. They have `-g`, so that curl does not interpret the braces of the last one. None are
    /// printed if the first mount is not one of all databases, or of one.
    ///
    /// @param mounts where databases are served
    /// @param console where the console is
    /// @param defaultAccount whether the default account with its default password is accepted
    static void print(PrintStream out, URI uri, List<Mount> mounts, Optional<URI> console, boolean defaultAccount) {
        var user = defaultAccount ? DefaultAccount.NAME + ":" + DefaultAccount.PASSWORD : "USER:PASSWORD";
        var curl = "  curl -ig -u " + user;
        out.println();
        if (defaultAccount) {
            out.println("Sign in as " + DefaultAccount.NAME + " with password " + DefaultAccount.PASSWORD + ".");
        }
        database(mounts).ifPresent(path -> {
            var books = uri + path + "/books";
            out.println("Try:");
            out.println(curl + " -X PUT " + uri + (path.isEmpty() ? "/" : path) + " " + books);
            out.println(curl
                    + " -d '{\"title\": \"The Periodic Table\", \"year\": 1975}' -H 'Content-Type: application/json' "
                    + books);
            out.println(curl + " '" + books + "?filter={\"year\":1975}'");
        });
        console.ifPresent(page -> out.println("In a browser: " + page));
        out.println();
        out.flush();
    }

    /// The path of a database, without a slash at its end.
    private static Optional<String> database(List<Mount> mounts) {
        return mounts.stream()
                .findFirst()
                .filter(mount -> !mount.where().contains("{"))
                .flatMap(mount -> {
                    var base = mount.where().replaceAll("/+$", "");
                    var what = mount.what().replaceAll("^/|/$", "");
                    return what.contains("/")
                            ? Optional.empty()
                            : Optional.of(what.equals("*") ? base + "/test" : base);
                });
    }
}
