package org.restheart.http;

/// How a service writes a [Problem] that a client sees.
public enum ErrorStyle {
    /// The data API: `{"http status code": 404, "http status description": "Not Found", "message": "…"}`.
    STATUS,
    /// Other services: `{"msg": "…"}`.
    MESSAGE,
    /// GraphQL: `{"errors": [{"message": "…", "locations": [], "extensions": {"classification":
    /// "ExecutionAborted"}}]}`.
    GRAPHQL
}
