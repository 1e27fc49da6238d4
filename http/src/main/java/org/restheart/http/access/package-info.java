/// Callers ([org.restheart.http.access.Caller]), what a permission grants on data ([org.restheart.data.Access]),
/// and the target and demands of a data request ([org.restheart.http.access.DataTarget]): the authorizers of `security`
/// decide on them and the handlers of `mongo` enforce them.
///
/// Must not know: requests and responses, how rules are written, the MongoDB driver.
@NullMarked
package org.restheart.http.access;

import org.jspecify.annotations.NullMarked;
