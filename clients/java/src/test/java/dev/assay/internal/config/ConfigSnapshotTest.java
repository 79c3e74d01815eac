package dev.assay.internal.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.assay.internal.json.Json;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class ConfigSnapshotTest {
    private static final String GOOD =
            "{'id':'i','name':'n','status':'running','salt':'s','bucket_count':2,'buckets':[[1,0],[2,1]],"
                    + "'variants':[{'key':'a'},{'key':'b'}]}";

    private static ConfigSnapshot parse(String text) {
        return ConfigSnapshot.parse(Json.parse(text.replace('\'', '"')));
    }

    private static ConfigSnapshot configOf(String experiments) {
        return parse("{'config_version':3,'experiments':[" + experiments + "]}");
    }

    @TestFactory
    Stream<DynamicTest> noConfigs() {
        return Stream.of(
                        "null",
                        "[]",
                        "'x'",
                        "{}",
                        "{'config_version':1}",
                        "{'experiments':[]}",
                        "{'config_version':'1','experiments':[]}",
                        "{'config_version':1.5,'experiments':[]}",
                        "{'config_version':1,'experiments':{}}")
                .map(text -> DynamicTest.dynamicTest(text, () -> assertNull(parse(text))));
    }

    @TestFactory
    Stream<DynamicTest> unreadableExperimentsAreLeftOut() {
        return Stream.of(
                        "null",
                        "7",
                        "{}",
                        GOOD.replace("'i'", "7"),
                        GOOD.replace("'n'", "null"),
                        GOOD.replace("'running'", "true"),
                        GOOD.replace("'s'", "[]"),
                        GOOD.replace("'bucket_count':2", "'bucket_count':0"),
                        GOOD.replace("'bucket_count':2", "'bucket_count':2.5"),
                        GOOD.replace("[[1,0],[2,1]]", "{}"),
                        GOOD.replace("[1,0]", "[1]"),
                        GOOD.replace("[1,0]", "[1,0,0]"),
                        GOOD.replace("[1,0]", "['1',0]"),
                        GOOD.replace("[1,0]", "7"),
                        GOOD.replace("{'key':'a'}", "{}"),
                        GOOD.replace("{'key':'a'}", "null"),
                        GOOD.replace("'variants'", "'variant'"))
                .map(wire -> DynamicTest.dynamicTest(wire, () -> {
                    ConfigSnapshot config = configOf(wire + "," + GOOD.replace("'n'", "'m'"));
                    assertEquals(1, config.unreadable);
                    assertNull(config.find("n"));
                    assertNotNull(config.find("m"));
                }));
    }

    @Test
    void whatDoesNotRunNeedsOnlyItsIdAndName() {
        for (String status : new String[] {"stopped", "archived", "shipped", ""}) {
            ConfigSnapshot config = configOf("{'id':'i','name':'n','status':'" + status + "'}");
            assertEquals(0, config.unreadable, status);
            assertNull(config.find("n").assign("u"), status);
            assertSame(config.find("i"), config.find("n"), status);
        }
        assertEquals(1, configOf("{'id':'i','status':'stopped'}").unreadable);
        assertEquals(1, configOf("{'name':'n','status':'stopped'}").unreadable);
    }

    @Test
    void aRenamedExperimentIsFoundByItsFormerNameToo() {
        ConfigSnapshot config = configOf(GOOD + "," + GOOD.replace("'n'", "'former'"));
        for (String name : new String[] {"n", "former", "i"}) {
            assertEquals(
                    config.find("n").assign("u").variant.key, config.find(name).assign("u").variant.key, name);
        }
    }

    @Test
    void anIdWinsOverTheNameOfAnother() {
        String other = GOOD.replace("'i'", "'j'").replace("'n'", "'i'");
        ConfigSnapshot config = configOf(GOOD + "," + other);
        assertEquals("i", config.find("i").id);
        assertSame(config.find("i"), config.find("n"));
        assertEquals("j", config.find("j").id);
        assertNull(config.find(null));
        assertEquals(3, config.version);
    }

    @Test
    void integersMayBeWrittenWithAPoint() {
        assertNotNull(configOf(GOOD.replace("[1,0]", "[1.0,0]").replace(":2,", ":2.0,"))
                .find("n"));
    }

    @Test
    void anOwnerThatIsNoVariantIsNobody() {
        for (String owner : new String[] {"2", "-1", "-7", "4294967296", "1e300"}) {
            ConfigSnapshot config = configOf(GOOD.replace("[[1,0],[2,1]]", "[[2," + owner + "]]"));
            assertNull(config.find("n").assign("u"), owner);
        }
        assertNull(configOf(GOOD.replace("[[1,0],[2,1]]", "[]")).find("n").assign("u"));
    }
}
