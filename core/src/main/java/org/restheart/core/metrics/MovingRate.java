package org.restheart.core.metrics;

/// Events per second, averaged with exponentially fading weights, as the load average of Unix is. Ticked by one
/// thread, read by any.
final class MovingRate {
    private final double weight;
    private volatile double perSecond = Double.NaN;

    /// @param minutes over which to average
    MovingRate(int minutes) {
        this.weight = 1 - Math.exp(-Series.TICK_SECONDS / 60.0 / minutes);
    }

    /// @param events since the tick before
    void tick(long events) {
        double now = (double) events / Series.TICK_SECONDS;
        perSecond = Double.isNaN(perSecond) ? now : perSecond + weight * (now - perSecond);
    }

    /// Zero before the first tick.
    double perSecond() {
        return Double.isNaN(perSecond) ? 0 : perSecond;
    }
}
