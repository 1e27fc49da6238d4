package org.restheart.http.access;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.restheart.http.attribute.Key;
import org.restheart.http.trace.TraceScope;

/// The caller for whom the current thread works. Resources that callers share, such as connections to MongoDB,
/// are divided among them by this name ([FairShares]).
public final class CallerScope {
    /// The server itself: background tasks, commands for several callers.
    public static final String SERVER = "";

    /// The observer of a request's caller; receives its name once it is known.
    public static final Key<Consumer<String>> OBSERVER = Key.named("caller observer");

    private static final String ACCOUNT = "account ";
    private static final String LOOK_UPS = "look-ups for ";

    private static final ScopedValue<CallerScope> CURRENT = ScopedValue.newInstance();

    private final String caller;
    private final Runnable onWait;

    private CallerScope(String caller, Runnable onWait) {
        this.caller = caller;
        this.onWait = onWait;
    }

    /// The name of an account among callers.
    public static String account(String name) {
        return ACCOUNT + name;
    }

    /// Whether this is the name of an account among callers.
    public static boolean isAccount(String caller) {
        return caller.startsWith(ACCOUNT);
    }

    /// The name of all callers without an account at one address.
    public static String address(String address) {
        return "address " + address;
    }

    /// The name of the server's look-ups for the current caller, such as those of its account: they have shares
    /// of their own, since the caller's may be used up by requests that depend on them. [#SERVER] if there is
    /// none.
    public static String lookUps() {
        var caller = current();
        return caller.equals(SERVER) || isLookUps(caller) ? caller : LOOK_UPS + caller;
    }

    /// Whether this is the name of look-ups for a caller.
    public static boolean isLookUps(String caller) {
        return caller.startsWith(LOOK_UPS);
    }

    /// The caller that the current thread works for; [#SERVER] if nobody else is known.
    public static String current() {
        return CURRENT.isBound() ? CURRENT.get().caller : SERVER;
    }

    /// Whether the current thread works for a known caller.
    public static boolean isBound() {
        return CURRENT.isBound();
    }

    /// Runs a task in the scope of a caller.
    public static <T> T call(String caller, Supplier<T> task) {
        return ScopedValue.where(CURRENT, new CallerScope(caller, CallerScope::nothing))
                .call(task::get);
    }

    /// As [#call], for a task that may throw a checked exception.
    public static <T, E extends Exception> T callChecked(String caller, ScopedValue.CallableOp<T, E> task) throws E {
        return ScopedValue.where(CURRENT, new CallerScope(caller, CallerScope::nothing))
                .call(task);
    }

    /// Runs a task in the scope of a caller.
    ///
    /// @param onWait called when the task has to wait because other requests of the caller hold its share
    public static void run(String caller, Runnable onWait, Runnable task) {
        ScopedValue.where(CURRENT, new CallerScope(caller, onWait)).run(task);
    }

    /// The task in the scope of the current thread's caller and span, to be run on any thread.
    public static Runnable carried(Runnable task) {
        var caller = current();
        return TraceScope.carried(() -> run(caller, CallerScope::nothing, task));
    }

    private static void nothing() {}

    /// Called before the current thread waits for its caller's share: runs `onWait`.
    public static void waits() {
        if (CURRENT.isBound()) {
            CURRENT.get().onWait.run();
        }
    }
}
