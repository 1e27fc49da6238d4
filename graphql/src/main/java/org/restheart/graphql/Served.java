package org.restheart.graphql;

/// An app that answers at a path.
record Served(AppCatalog.Place place, ServedApp app) {}
