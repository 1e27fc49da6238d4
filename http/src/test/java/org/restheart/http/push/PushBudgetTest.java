package org.restheart.http.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PushBudgetTest {
    private final AtomicInteger ended = new AtomicInteger();
    private final PushBudget budget = new PushBudget(16_000, ended::incrementAndGet);

    private Backlog backlog(String caller) {
        return new Backlog(10_000, 1 << 20, budget, caller);
    }

    private List<Backlog> backlogs(String caller, int count) {
        return IntStream.range(0, count).mapToObj(_ -> backlog(caller)).toList();
    }

    private static Frame frame(int length) {
        return new Frame(ByteBuffer.allocate(length), 0);
    }

    @Test
    void a_shared_message_counts_once() {
        var all = new ArrayList<>(backlogs("account a", 1_000));
        all.addAll(backlogs("account b", 1_000));
        for (int i = 0; i < 7; i++) {
            var frame = frame(1_000);
            all.forEach(backlog -> backlog.offer(frame));
        }

        assertThat(budget.held()).isEqualTo(7_000);
        assertThat(ended).hasValue(0);
    }

    @Test
    void a_message_counts_until_it_is_sent() {
        var backlog = backlog("account a");
        backlog.offer(frame(1_000));
        assertThat(backlog.take()).isNotNull();
        assertThat(budget.held()).isEqualTo(1_000);
        assertThat(backlog.take()).isNull();
        assertThat(budget.held()).isZero();
        backlog.offer(frame(500));
        assertThat(backlog.take()).isNotNull();
        backlog.abandon();
        assertThat(budget.held()).isZero();
    }

    @Test
    void a_caller_holds_at_most_half_and_loses_its_fullest() {
        var other = backlog("account b");
        other.offer(frame(6_000));
        var greedy = backlogs("account a", 2);
        for (int i = 0; i < 12; i++) {
            greedy.getFirst().offer(frame(500));
        }
        for (int i = 0; i < 8; i++) {
            greedy.getLast().offer(frame(500));
        }

        assertThat(greedy.getFirst().ending()).contains(Ending.TOO_SLOW);
        assertThat(greedy.getLast().hasEnded()).isFalse();
        assertThat(other.hasEnded()).isFalse();
        assertThat(ended).hasValue(1);
    }

    @Test
    void listeners_of_others_keep_their_streams_whatever_one_caller_lets_wait() {
        var others =
                IntStream.range(0, 50).mapToObj(i -> backlog("account " + i)).toList();
        var shared = frame(2_000);
        others.forEach(other -> other.offer(shared));
        var greedy = new ArrayList<Backlog>();
        for (int i = 0; i < 500; i++) {
            var next = backlog("account greedy");
            next.offer(frame(700));
            assertThat(next.take() != null || next.isShed()).isTrue(); // its client does not read
            greedy.add(next);
            assertThat(budget.held() - greedy.stream().filter(Backlog::isShed).count() * 700)
                    .isLessThanOrEqualTo(10_000 + 700);
        }

        assertThat(others).noneMatch(Backlog::hasEnded);
        greedy.forEach(Backlog::abandon);
        others.forEach(Backlog::abandon);
        assertThat(budget.held()).isZero();
    }

    @Test
    @Timeout(180)
    void nothing_is_counted_when_everything_is_closed() throws Exception {
        var open = new AtomicBoolean(true);
        var backlogs = new ArrayList<Backlog>();
        for (int i = 0; i < 40; i++) {
            backlogs.add(new Backlog(20, 4_000, budget, "account " + i % 3));
        }
        var producers = new ArrayList<Thread>();
        for (int producer = 0; producer < 3; producer++) {
            int from = producer;
            producers.add(Thread.ofPlatform().start(() -> {
                var random = new Random(from);
                for (int round = 0; round < 5_000; round++) {
                    var frame = frame(1 + random.nextInt(900));
                    boolean shared = random.nextBoolean();
                    for (int i = 0; i < backlogs.size(); i++) {
                        at(backlogs, i).offer(shared ? frame : frame(500));
                    }
                }
            }));
        }
        var receivers = new ArrayList<Thread>();
        for (int receiver = 0; receiver < 3; receiver++) {
            int from = receiver;
            receivers.add(Thread.ofPlatform().start(() -> {
                var random = new Random(100 + from);
                while (open.get()) {
                    int at = random.nextInt(backlogs.size());
                    var backlog = at(backlogs, at);
                    var _ = backlog.take();
                    if (random.nextInt(200) == 0 || backlog.hasEnded()) {
                        synchronized (backlogs) {
                            if (backlogs.get(at) != backlog) {
                                continue; // another receiver has replaced it
                            }
                            backlogs.set(at, new Backlog(20, 4_000, budget, "account " + random.nextInt(3)));
                        }
                        backlog.abandon();
                        backlog.offer(frame(10));
                    }
                }
            }));
        }
        for (var producer : producers) {
            producer.join();
        }
        open.set(false);
        for (var receiver : receivers) {
            receiver.join();
        }

        assertThat(ended.get()).isPositive();
        backlogs.forEach(Backlog::abandon);
        assertThat(budget.held()).isZero();
        assertThat(budget.holders()).isZero();
    }

    private static Backlog at(List<Backlog> backlogs, int at) {
        synchronized (backlogs) {
            return backlogs.get(at);
        }
    }
}
