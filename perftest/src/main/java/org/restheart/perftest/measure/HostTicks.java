package org.restheart.perftest.measure;

/// Clock ticks of all cores since the machine started, from the first line of `/proc/stat` (proc(5)). Immutable.
///
/// @param busy user, nice and system time
/// @param idle includes waiting for disks
/// @param kernel interrupts and soft interrupts
record HostTicks(long busy, long idle, long kernel, long stolen) {

    static HostTicks parse(String line) {
        var fields = line.trim().split(" +", -1);
        if (!fields[0].equals("cpu") || fields.length < 9) {
            throw new IllegalArgumentException("not the cpu line of /proc/stat: " + line);
        }
        var ticks = new long[9];
        for (var i = 1; i < ticks.length; i++) {
            ticks[i] = Long.parseLong(fields[i]);
        }
        return new HostTicks(ticks[1] + ticks[2] + ticks[3], ticks[4] + ticks[5], ticks[6] + ticks[7], ticks[8]);
    }

    long total() {
        return busy + idle + kernel + stolen;
    }

    HostTicks minus(HostTicks earlier) {
        return new HostTicks(
                busy - earlier.busy, idle - earlier.idle, kernel - earlier.kernel, stolen - earlier.stolen);
    }
}
