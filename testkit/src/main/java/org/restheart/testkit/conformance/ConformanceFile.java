package org.restheart.testkit.conformance;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.provider.ArgumentsSource;

/// Supplies a `@ParameterizedTest(name = "{0}")` with the [ConformanceCase]s of files below `/conformance/`
/// on the class path. `-Dconformance.case=text` leaves only the cases whose name contains the text.
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ArgumentsSource(ConformanceArguments.class)
public @interface ConformanceFile {

    /// Such as `documents.yml`.
    String[] value();
}
