/// The query parameters of the data API: [org.restheart.http.parameter.DataParameter] declares each once. Knows neither
/// MongoDB nor how the values are used.
@NullMarked
package org.restheart.http.parameter;

import org.jspecify.annotations.NullMarked;
