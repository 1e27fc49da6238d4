package org.restheart.core.security;

import static org.restheart.testkit.Statuses.assertStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// MongoDB compares with each element of an array, in the filters of permissions, too: what the documentation says to
/// write where that must not be.
@WithMongo
class ArraysInRulesTest {
    private static final String SHARED = "{\"owner\": [\"ada\", \"victim\"]}";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.insert("w", "{_id: 'mine', owner: 'ada'}");
        gateway.insert("s", "{_id: 'mine', owner: 'ada'}");
        gateway.permit("{_id: 'w', roles: ['editor'], predicate: \"path-prefix('/w')\", mongo:"
                + " {readFilter: {owner: '@user._id'}, writeFilter: {owner: '@user._id'}, checkWritten: true}}");
        gateway.permit("{_id: 's', roles: ['editor'], predicate: \"path-prefix('/s')\", mongo:"
                + " {readFilter: {owner: '@user._id'}, checkWritten: true,"
                + " writeFilter: {owner: {$eq: '@user._id', $not: {$type: 'array'}}}}}");
    }

    @Test
    void an_array_that_has_the_value_is_inside_of_a_filter() {
        assertStatus(200, gateway.as("ada").patch("/w/mine", SHARED));
    }

    @Test
    void a_filter_can_refuse_arrays() {
        var ada = gateway.as("ada");
        assertStatus(403, ada.patch("/s/mine", SHARED));
        assertStatus(403, ada.patch("/s/mine", "{\"$set\": {\"owner\": [\"ada\"]}}"));
        assertStatus(403, ada.put("/s/mine", SHARED));
        assertStatus(403, ada.post("/s", SHARED));
        assertStatus(200, ada.patch("/s/mine", "{\"owner\": \"ada\", \"n\": 1}"));
        assertStatus(201, ada.post("/s", "{\"owner\": \"ada\"}"));
    }
}
