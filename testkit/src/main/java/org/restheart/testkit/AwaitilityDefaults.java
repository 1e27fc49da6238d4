package org.restheart.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/// Looks for what tests await every ten milliseconds at first, whichever class is the first, and for as long as a busy
/// machine may need. What takes longer is looked for less often: many conditions are requests, and each takes processor
/// time of all tests.
public final class AwaitilityDefaults implements LauncherSessionListener {
    private static final Duration AT_FIRST = Duration.ofMillis(10);
    private static final Duration LATER = Duration.ofMillis(60);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(
                last -> later(last.multipliedBy(5).dividedBy(4)), AT_FIRST));
    }

    private static Duration later(Duration interval) {
        return interval.compareTo(LATER) < 0 ? interval : LATER;
    }
}
