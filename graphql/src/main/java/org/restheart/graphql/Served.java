package org.restheart.graphql;

/// An app that is served at a path.
record Served(AppCatalog.Place place, ServedApp app) {}
