/// Who asks ([org.restheart.http.access.Caller]), what a permission grants of the data
/// ([org.restheart.http.access.Grant]), and what a data request aims at and demands
/// ([org.restheart.http.access.DataTarget]): what the authorizers of `security` decide about and the handlers of
/// `mongo`
/// keep to.
///
/// Must not know: requests and responses, how rules are written, the MongoDB driver.
@NullMarked
package org.restheart.http.access;

import org.jspecify.annotations.NullMarked;
