/// Services in addition to the data API: loading CSV files ([CsvLoader]) and invalidating cached metadata
/// ([CacheInvalidator]).
///
/// Must not know: mounts; the data API's resources.
@NullMarked
package org.restheart.rest.service;

import org.jspecify.annotations.NullMarked;
