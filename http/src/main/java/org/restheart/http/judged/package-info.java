/// Requests that are made inside the process ([org.restheart.http.judged.JudgedRequests]), authorized and answered
/// like those of clients. Every service other than the REST API accesses data through them.
/// [org.restheart.http.judged.KindPermissions] determines which requests a caller may make.
///
/// Must not know: how requests are authorized or answered, or which services make such requests.
@NullMarked
package org.restheart.http.judged;

import org.jspecify.annotations.NullMarked;
