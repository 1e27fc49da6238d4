package org.restheart.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;

class GrantTest {
    /// It allows nothing on paths that the permission does not cover.
    @Test
    void a_permission_without_restrictions_is_not_full_access() {
        var permission = new Grant(Set.of(Demand.values()));
        assertThat(permission).isEqualTo(Grant.FULL);
        assertThat(permission.isUnrestricted()).isFalse();
        assertThat(Grant.FULL.isUnrestricted()).isTrue();
        assertThat(Grant.FULL.withProjectResponse(Optional.of(new BsonDocument("a", new BsonInt32(0)))))
                .matches(grant -> !grant.isUnrestricted());
    }

    @Test
    void nothing_that_allows_more_is_made_of_a_refusal() {
        var merge = Optional.of(new BsonDocument("owner", new BsonInt32(1)));
        assertThat(Grant.REFUSED.withMergeRequest(merge).isRefused()).isTrue();
        assertThat(Grant.REFUSED.withProjectResponse(merge).isRefused()).isTrue();
        assertThat(new Grant(Set.of()).isRefused()).isFalse();
    }
}
