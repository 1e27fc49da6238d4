package org.restheart.http.access;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.restheart.http.attribute.Key;
import org.restheart.http.trace.TraceScope;

/// For whom the current thread works: what all callers share is shared out by it ([FairShares]).
public final class CallerScope {
    /// The server itself: looking up accounts, background tasks, commands for several callers.
    public static final String SERVER = "";

    /// Told the name of a request's caller when it is known.
    public static final Key<Consumer<String>> OBSERVER = Key.named("caller observer");

    private static final String ACCOUNT = "account ";

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

    /// The caller that the current thread works for; [#SERVER] if nobody else is known.
    public static String current() {
        return CURRENT.isBound() ? CURRENT.get().caller : SERVER;
    }

    /// Whether the current thread works for a known caller.
    public static boolean isBound() {
        return CURRENT.isBound();
    }

    /// Does something for a caller.
    public static <T> T call(String caller, Supplier<T> task) {
        return ScopedValue.where(CURRENT, new CallerScope(caller, CallerScope::nothing))
                .call(task::get);
    }

    /// The same for a task that may fail with a checked exception.
    public static <T, E extends Exception> T callChecked(String caller, ScopedValue.CallableOp<T, E> task) throws E {
        return ScopedValue.where(CURRENT, new CallerScope(caller, CallerScope::nothing))
                .call(task);
    }

    /// Does something for a caller.
    ///
    /// @param onWait called when the caller has to wait because others of its requests hold its share
    public static void run(String caller, Runnable onWait, Runnable task) {
        ScopedValue.where(CURRENT, new CallerScope(caller, onWait)).run(task);
    }

    /// The task, for the caller and the span of the current thread, on whatever thread it runs.
    public static Runnable carried(Runnable task) {
        var caller = current();
        return TraceScope.carried(() -> run(caller, CallerScope::nothing, task));
    }

    private static void nothing() {}

    /// Told by what makes the current thread wait for its caller's share.
    public static void waits() {
        if (CURRENT.isBound()) {
            CURRENT.get().onWait.run();
        }
    }
}
