package org.restheart.mongo.write;

/// When a write must have the entity tag of its target, by kind of resource; properties of collections and databases
/// override it.
public record EtagPolicies(EtagPolicy db, EtagPolicy collection, EtagPolicy document) {
    public static final EtagPolicies DEFAULT =
            new EtagPolicies(EtagPolicy.REQUIRED_FOR_DELETE, EtagPolicy.REQUIRED_FOR_DELETE, EtagPolicy.OPTIONAL);

    /// Whether `If-Match` is required.
    public enum EtagPolicy {
        REQUIRED,
        REQUIRED_FOR_DELETE,
        OPTIONAL
    }
}
