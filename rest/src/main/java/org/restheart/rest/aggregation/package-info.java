/// Aggregations that a collection declares in its property `aggrs` and clients run by name, with variables.
/// [Aggregations] is the entry point; [Interpolation] substitutes variables in any pipeline.
///
/// Must not know: how pipelines are stored by clients' writes.
@NullMarked
package org.restheart.rest.aggregation;

import org.jspecify.annotations.NullMarked;
