/// Fields by path: which of them a change touches ([TouchedPaths]), which of them a caller may see and
/// query ([Visibility]); which collections and pipelines a stage reaches ([Stages]); what a collection
/// declares by names ([NamedEntries]); whether an index serves what a query compares and sorts
/// ([QueryPlan]); and literal values in filters and expressions ([FilterBinding], [ExpressionBinding]).
/// All code that needs one of these answers uses this package.
///
/// Must not know: the driver, requests, where documents are stored.
@NullMarked
package org.restheart.bson.fields;

import org.jspecify.annotations.NullMarked;
