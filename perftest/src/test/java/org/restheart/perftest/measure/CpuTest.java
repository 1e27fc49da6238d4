package org.restheart.perftest.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CpuTest {
    @Test
    void the_hosts_first_line_is_read_by_meaning() {
        var ticks = ProcStat.HostTicks.parse("cpu  100 20 30 4000 500 6 7 80 0 0");
        assertThat(ticks).isEqualTo(new ProcStat.HostTicks(150, 4500, 13, 80));
        assertThat(ticks.total()).isEqualTo(100 + 20 + 30 + 4000 + 500 + 6 + 7 + 80);
    }

    @Test
    void a_program_name_with_blanks_and_brackets_shifts_no_field() {
        assertThat(ProcStat.parseProcess("4711 (a) b (c)) S 1 2 3 4 5 6 7 8 9 10 1234 66 0 0 20 0 12 0 99 0 0"))
                .isEqualTo(1300);
    }

    @Test
    void a_busy_thread_is_charged_to_its_process_and_not_to_others() {
        var threads = ManagementFactory.getThreadMXBean();
        var watch = new CpuWatch(Map.of()).alsoThisProcess("test");
        var beforeBegin = System.nanoTime();
        var begin = watch.read();
        var afterBegin = System.nanoTime();
        var enough = threads.getCurrentThreadCpuTime() + 200_000_000;
        while (threads.getCurrentThreadCpuTime() < enough) {
            Thread.onSpinWait();
        }
        var beforeEnd = System.nanoTime();
        var use = watch.since(begin);
        var afterEnd = System.nanoTime();
        assertThat(use.seconds().get("test")).isGreaterThanOrEqualTo(0.17);
        // a busy machine may interrupt this thread between any two lines
        int processors = Runtime.getRuntime().availableProcessors();
        assertThat(use.capacity())
                .isBetween(
                        (beforeEnd - afterBegin) / 1e9 * processors - 0.15,
                        (afterEnd - beforeBegin) / 1e9 * processors + 0.15);
        assertThat(use.others()).isLessThan(use.capacity() - 0.17);
    }

    @Test
    void a_process_that_has_ended_costs_nothing() {
        assertThat(ProcStat.processTicks(Integer.MAX_VALUE)).isZero();
    }
}
