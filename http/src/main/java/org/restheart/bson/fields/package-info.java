/// Fields by path: which of them a change touches ([TouchedPaths]), which of them a caller may see and ask about
/// ([Visibility]), and values that stand in filters and expressions without ever acting as operators
/// ([FilterBinding], [ExpressionBinding]). Everybody who asks one of these questions asks here.
///
/// Must not know: the driver, requests, where documents are stored.
@NullMarked
package org.restheart.bson.fields;

import org.jspecify.annotations.NullMarked;
