package org.restheart.mongo.parameter;

import org.restheart.mongo.find.Shortcuts.Positioning;

/// Defaults and bounds of parameters.
///
/// @param pageSize documents per page by default
/// @param maxPageSize the largest `pagesize`
/// @param positioning how deep pages are found by default
/// @param refuseOperators whether `avars` may not contain `$` operators
/// @param strict whether unknown parameters are refused
public record ParameterSettings(
        Representation representation,
        int pageSize,
        int maxPageSize,
        Positioning positioning,
        boolean refuseOperators,
        boolean strict) {}
