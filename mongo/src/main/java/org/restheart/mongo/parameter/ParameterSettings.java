package org.restheart.mongo.parameter;

import org.restheart.mongo.find.Positioning;

/// What holds for parameters that a request does not send, and the bounds of those that it does.
///
/// @param pageSize documents per page when the client does not say
/// @param maxPageSize the largest `pagesize`
/// @param positioning how deep pages are found when the client does not say
/// @param refuseOperators whether `avars` may not contain `$` operators
public record ParameterSettings(
        Representation representation,
        int pageSize,
        int maxPageSize,
        Positioning positioning,
        boolean refuseOperators) {}
