package org.restheart.http.access;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.restheart.http.attribute.Key;
import org.restheart.http.trace.TraceScope;

/// The caller for whom the current thread works. Resources that callers share, such as connections to MongoDB,
/// are divided among them by this name ([FairShares]).
public final class CallerScope {
    /// The server itself: background tasks.
    public static final String SERVER = "";

    /// The observer of a request's caller; receives its name once it is known.
    public static final Key<Consumer<String>> OBSERVER = Key.named("caller observer");

    private static final List<String> SERVERS = List.of(SERVER);
    private static final String ACCOUNT = "account ";
    private static final String LOOK_UPS = "look-ups for ";

    private static final ScopedValue<CallerScope> CURRENT = ScopedValue.newInstance();

    /// Not empty, distinct.
    private final List<String> sharers;

    private final Runnable onWait;

    private CallerScope(List<String> sharers, Runnable onWait) {
        this.sharers = sharers;
        this.onWait = onWait;
    }

    /// The name of an account among callers.
    public static String account(String name) {
        return ACCOUNT + name;
    }

    public static boolean isAccount(String caller) {
        return caller.startsWith(ACCOUNT);
    }

    /// Whether this is the name of an account, or of look-ups for one.
    static boolean hasAccount(String caller) {
        return isAccount(caller) || caller.startsWith(LOOK_UPS + ACCOUNT);
    }

    /// The name of all callers without an account at one address.
    public static String address(String address) {
        return "address " + address;
    }

    /// Runs the server's look-ups for the current callers, such as those of accounts, in shares of their own,
    /// since those of the callers may be used up by requests that depend on them. [#SERVER] looks up as itself.
    public static <T> T lookUp(Supplier<T> task) {
        var names = sharers().stream().map(CallerScope::lookUpsOf).distinct().toList();
        return ScopedValue.where(CURRENT, new CallerScope(names, CallerScope::nothing))
                .call(task::get);
    }

    private static String lookUpsOf(String caller) {
        return caller.equals(SERVER) || isLookUps(caller) ? caller : LOOK_UPS + caller;
    }

    public static boolean isLookUps(String caller) {
        return caller.startsWith(LOOK_UPS);
    }

    /// The caller that the current thread works for, or the first of them; [#SERVER] if there is no other.
    public static String current() {
        return sharers().getFirst();
    }

    /// All callers that the current thread works for: those whose requests share a command. Distinct; [#SERVER]
    /// if none is known.
    public static List<String> sharers() {
        return CURRENT.isBound() ? CURRENT.get().sharers : SERVERS;
    }

    public static boolean isBound() {
        return CURRENT.isBound();
    }

    public static <T, E extends Exception> T call(String caller, ScopedValue.CallableOp<T, E> task) throws E {
        return ScopedValue.where(CURRENT, new CallerScope(List.of(caller), CallerScope::nothing))
                .call(task);
    }

    /// Runs a task in the scope of the callers for whom it works.
    ///
    /// @param sharers at least one, distinct
    /// @param onWait called when the task has to wait because other requests of the callers hold their shares
    public static void run(List<String> sharers, Runnable onWait, Runnable task) {
        ScopedValue.where(CURRENT, new CallerScope(List.copyOf(sharers), onWait))
                .run(task);
    }

    public static void run(String caller, Runnable task) {
        run(List.of(caller), CallerScope::nothing, task);
    }

    /// The task in the scope of the current thread's callers and span, to be run on any thread.
    public static Runnable carried(Runnable task) {
        var sharers = sharers();
        return TraceScope.carried(() -> run(sharers, CallerScope::nothing, task));
    }

    /// As [#carried], for a task whose end the current thread awaits: if the task has to wait, so does this thread.
    public static Runnable lent(Runnable task) {
        if (!CURRENT.isBound()) {
            return TraceScope.carried(task);
        }
        var scope = CURRENT.get();
        return TraceScope.carried(() -> ScopedValue.where(CURRENT, scope).run(task));
    }

    private static void nothing() {}

    /// Called before the current thread waits for a share of its callers: runs `onWait`.
    public static void waits() {
        if (CURRENT.isBound()) {
            CURRENT.get().onWait.run();
        }
    }
}
