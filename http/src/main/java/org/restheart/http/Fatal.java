package org.restheart.http;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.SoftReference;
import java.nio.charset.StandardCharsets;

/// Ends the process when its memory is used up. What goes on afterwards is not a server any more: the threads that were
/// refused memory have ended, those of libraries among them, and the rest collects garbage. A supervisor starts it
/// again. The JVM's own `-XX:+ExitOnOutOfMemoryError` does the same, but only where it is given: neither a manifest nor
/// a running JVM can set it.
public final class Fatal {
    /// As the JVM's own.
    private static final int STATUS = 3;

    private static final long INTERVAL_MILLIS = 100;

    /// The part of the heap without which nothing goes on.
    private static final int ROOM = 8;

    private static final int TIMES = 10;

    private static final byte[] MESSAGE =
            "The memory is used up (java.lang.OutOfMemoryError): the process ends. See docs/how-to/operate.md\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private static final FileOutputStream ERROR = new FileOutputStream(FileDescriptor.err);

    private static volatile boolean installed;

    private Fatal() {}

    /// Ends this process from now on. To be called by the entry point of a process.
    ///
    /// Errors that nobody hears of are noticed, too, if they go on for a second: the JVM clears soft references
    /// before it refuses memory, and others only when they have not been used for longer than the heap has free
    /// mebibytes, in seconds.
    @SuppressWarnings("ThreadPriorityCheck") // it has to run where others collect garbage
    public static void install() {
        var loaded = new Thread(() -> {}); // what ends a process is not loaded any more where there is no memory
        Runtime.getRuntime().addShutdownHook(loaded);
        Runtime.getRuntime().removeShutdownHook(loaded);
        var watch = new Thread(Fatal::watch, "out-of-memory");
        watch.setDaemon(true);
        watch.setPriority(Thread.MAX_PRIORITY);
        watch.start();
        installed = true;
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            exitOn(failure);
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            failure.printStackTrace();
        });
    }

    /// To be called wherever all failures are caught.
    public static void exitOn(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError && installed) {
                exit();
            }
        }
    }

    /// Soft references are cleared, too, where a heap was full and a collection has emptied it: only a heap that stays
    /// full, or for which they are cleared again and again, is used up.
    private static void watch() {
        var cleared = new ReferenceQueue<Object>();
        try {
            int refused = 0;
            while (refused < TIMES) {
                var canary = new SoftReference<>(new Object(), cleared);
                canary.get(); // used just now
                boolean isCleared = cleared.remove(INTERVAL_MILLIS) != null;
                refused = isCleared || (refused > 0 && !hasRoom()) ? refused + 1 : 0;
                if (isCleared) {
                    Thread.sleep(INTERVAL_MILLIS);
                }
            }
        } catch (InterruptedException | OutOfMemoryError _) {
            // nobody interrupts it
        }
        exit();
    }

    private static boolean hasRoom() {
        var runtime = Runtime.getRuntime();
        long used = runtime.totalMemory() - runtime.freeMemory();
        return used < runtime.maxMemory() - runtime.maxMemory() / ROOM;
    }

    private static void exit() {
        try {
            ERROR.write(MESSAGE);
        } catch (IOException | OutOfMemoryError _) {
            // there is nobody to tell
        }
        while (true) {
            try {
                Runtime.getRuntime().halt(STATUS);
            } catch (OutOfMemoryError _) {
                Thread.onSpinWait(); // until other threads have ended
            }
        }
    }
}
