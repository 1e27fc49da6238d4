/// Requests that are made inside the process ([org.restheart.http.judged.JudgedRequests]), authorized and answered
/// like those that clients send: the way of every other entry point to the data.
/// [org.restheart.http.judged.KindPermissions]
/// tells which requests a caller may make.
///
/// Must not know: how requests are authorized or answered, or which services make such requests.
@NullMarked
package org.restheart.http.judged;

import org.jspecify.annotations.NullMarked;
