package org.restheart.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.restheart.data.Access.Definer;
import org.restheart.data.Access.Denied;
import org.restheart.data.Access.Root;
import org.restheart.data.Access.RowPolicy;

class AccessTest {
    private static final Optional<BsonDocument> SOME = Optional.of(new BsonDocument("a", new BsonInt32(0)));

    private static RowPolicy rule(Set<Privilege> allowed) {
        return new RowPolicy(allowed, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    @Test
    void a_rule_without_restrictions_is_not_root() {
        assertThat(rule(Set.of(Privilege.values()))).isNotEqualTo(new Root());
        assertThat(new Root().withProjectResponse(Optional.empty())).isInstanceOf(RowPolicy.class);
        assertThat(new Root().withProjectResponse(SOME).showsAll()).isFalse();
        assertThat(new Root().withMergeRequest(SOME).allowed()).containsExactlyInAnyOrder(Privilege.values());
    }

    @Test
    void nothing_can_be_made_of_what_is_denied() {
        assertThat(new Denied().withMergeRequest(SOME)).isInstanceOf(Denied.class);
        assertThat(new Denied().withProjectResponse(SOME)).isInstanceOf(Denied.class);
        assertThat(new Denied().allowed()).isEmpty();
        assertThat(rule(Set.of())).isNotInstanceOf(Denied.class);
    }

    @Test
    void what_covers_another_shows_all_and_changes_nothing() {
        assertThat(new Root().covers(rule(Set.of(Privilege.MANAGEMENT)))).isTrue();
        assertThat(rule(Set.of()).covers(rule(Set.of(Privilege.MANAGEMENT)))).isFalse();
        assertThat(new Definer(SOME).covers(new Denied())).isFalse();
    }
}
