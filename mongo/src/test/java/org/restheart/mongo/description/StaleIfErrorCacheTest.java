package org.restheart.mongo.description;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoTimeoutException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.description.Descriptions.StaleIfErrorCache;

class StaleIfErrorCacheTest {
    private final AtomicInteger loads = new AtomicInteger();
    private volatile boolean away;

    private int load(String key) {
        if (away) {
            throw new MongoTimeoutException("away");
        }
        return loads.incrementAndGet();
    }

    @Test
    void a_value_is_loaded_once_until_it_is_forgotten() {
        var remembered = new StaleIfErrorCache<>(Duration.ofDays(1), this::load);
        assertThat(remembered.get("a")).isEqualTo(1);
        assertThat(remembered.get("a")).isEqualTo(1);
        remembered.forget("a");
        assertThat(remembered.get("a")).isEqualTo(2);
    }

    @Test
    void while_mongodb_is_away_the_last_value_holds() {
        var remembered = new StaleIfErrorCache<>(Duration.ZERO, this::load);
        assertThat(remembered.get("a")).isEqualTo(1);
        assertThat(remembered.get("a")).isEqualTo(2);
        away = true;
        assertThat(remembered.get("a")).isEqualTo(2);
        assertThatThrownBy(() -> remembered.get("b")).isInstanceOf(MongoTimeoutException.class);
    }
}
