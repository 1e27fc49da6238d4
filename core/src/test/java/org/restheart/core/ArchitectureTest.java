package org.restheart.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.restheart.http.Content;
import org.restheart.http.NeedsThread;

/// The walls between packages that Maven's modules do not draw; docs/architecture.md says why.
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.restheart");

    @Test
    void only_the_server_package_knows_undertow() {
        noClasses()
                .that()
                .resideOutsideOfPackage("org.restheart.core.server")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.undertow..", "org.xnio..")
                .check(CLASSES);
    }

    @Test
    void modules_depend_in_one_direction() {
        noClasses()
                .that()
                .resideInAnyPackage("org.restheart.http..", "org.restheart.bson..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.restheart.core..",
                        "org.restheart.security..",
                        "org.restheart.mongo..",
                        "org.restheart.embedded..",
                        "com.mongodb.client..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("org.restheart.security..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.restheart.core..", "org.restheart.mongo..", "org.restheart.embedded..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("org.restheart.mongo..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.restheart.core..", "org.restheart.security..", "org.restheart.embedded..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("org.restheart.embedded..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.restheart.core..", "org.restheart.security..", "org.restheart.mongo..")
                .check(CLASSES);
    }

    @Test
    void packages_of_core_form_no_cycles() {
        slices().matching("org.restheart.core.(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    /// The package `org.restheart.mongo` itself is one of them: it puts the others together, and they do not know it.
    @Test
    void packages_form_no_cycles() {
        slices().matching("org.restheart.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void services_do_not_know_how_they_are_served() {
        noClasses()
                .that()
                .resideInAPackage("org.restheart.core.service..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.restheart.core.server..", "org.restheart.core.filter..", "org.restheart.core.routing..")
                .check(CLASSES);
    }

    @Test
    void only_the_server_catches_the_signal_for_a_thread() {
        noClasses()
                .that()
                .resideOutsideOfPackages("org.restheart.http", "org.restheart.core.server", "org.restheart.core.filter")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(NeedsThread.class)
                .check(CLASSES);
    }

    @Test
    void streamed_content_is_pulled_by_the_server_alone() {
        noClasses()
                .that()
                .resideOutsideOfPackage("org.restheart.core.server")
                .should()
                .callMethod(Content.Streamed.class, "source")
                .check(CLASSES);
    }

    @Test
    void jackson_is_version_3() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.fasterxml.jackson.core..", "com.fasterxml.jackson.databind..")
                .check(CLASSES);
    }

    @Test
    void test_tools_stay_in_tests() {
        noClasses()
                .that()
                .resideOutsideOfPackage("org.restheart.testkit..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.restheart.testkit..", "org.junit..", "org.assertj..")
                .check(CLASSES);
    }

    @Test
    void every_package_is_null_marked() {
        assertThat(CLASSES.stream().map(JavaClass::getPackage).distinct())
                .isNotEmpty()
                .allMatch(aPackage -> aPackage.isAnnotatedWith(NullMarked.class));
    }

    @Test
    void the_log_is_the_only_voice_of_everything_behind_the_command_line() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "org.restheart.core.server..",
                        "org.restheart.core.filter..",
                        "org.restheart.core.routing..",
                        "org.restheart.core.service..",
                        "org.restheart.core.metrics..",
                        "org.restheart.core.observation..",
                        "org.restheart.security..",
                        "org.restheart.mongo..")
                .should(ACCESS_STANDARD_STREAMS)
                .check(CLASSES);
    }
}
