package dev.assay.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.assay.internal.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class CallTextTest {
    private static final int MAX_BYTES = 65_536;

    private static String textOf(String json) {
        return new TextWriter().write(Json.parse(json.replace('\'', '"'))).toString();
    }

    private static String messagesOf(String messages, String system) {
        Object parsed = messages == null ? null : Json.parse(messages.replace('\'', '"'));
        return CallText.ofMessages(parsed, system == null ? null : Json.parse(system.replace('\'', '"')));
    }

    private static DynamicTest bounds(String name, String text, String bounded) {
        return DynamicTest.dynamicTest(name, () -> assertEquals(bounded, CallText.bound(text)));
    }

    @TestFactory
    Stream<DynamicTest> bound() {
        return Stream.of(
                bounds("keeps an empty text", "", ""),
                bounds("keeps 64 KiB to the byte", "a".repeat(MAX_BYTES), "a".repeat(MAX_BYTES)),
                bounds(
                        "cuts what is a byte longer, the mark within the limit",
                        "a".repeat(MAX_BYTES + 1),
                        "a".repeat(MAX_BYTES - 8) + "…[cut]"),
                bounds("keeps three bytes a unit that fit", "日".repeat(21_845), "日".repeat(21_845)),
                bounds(
                        "cuts between characters, not inside one",
                        "a" + "😀".repeat(20_000),
                        "a" + "😀".repeat(16_381) + "…[cut]"),
                bounds("counts an unpaired surrogate as three bytes", "\ud83d".repeat(21_845), "\ud83d".repeat(21_845)),
                bounds(
                        "takes the media out of a text before it is measured",
                        "see data:image/png;base64," + "A".repeat(MAX_BYTES) + " here",
                        "see [image/png removed] here"),
                bounds(
                        "takes parameters of a data URL with it",
                        "<data:text/plain;charset=utf-8;base64,SGk=>",
                        "<[text/plain removed]>"),
                bounds("takes out two of them", "data:a/b;base64,A= data:c;base64,!", "[a/b removed] [c removed]!"),
                bounds(
                        "takes one out that begins within what is none",
                        "data:xdata:a/b;base64,A",
                        "data:x[a/b removed]"),
                bounds("keeps one without a type", "data:;base64,abc", "data:;base64,abc"),
                bounds("keeps one that is not in base64", "data:text/plain,abc", "data:text/plain,abc"));
    }

    @Test
    void boundsAgainToTheSame() {
        Random random = new Random(7);
        for (int run = 0; run < 40; run++) {
            StringBuilder unit = new StringBuilder();
            for (int i = 0; i < 1 + random.nextInt(20); i++) {
                unit.append((char) random.nextInt(1 + random.nextInt(0x10000)));
            }
            String bounded = CallText.bound(unit.toString().repeat(1 + random.nextInt(9_000)));
            assertTrue(bounded.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES);
            assertEquals(bounded, CallText.bound(bounded));
        }
    }

    @Test
    void foldsPiecesIntoWhatTheWholeTextIsBoundedTo() {
        TextWriter folded = new TextWriter();
        StringBuilder whole = new StringBuilder();
        for (int i = 0; i < 30_000; i++) {
            folded.write(i + "€😀");
            whole.append(i).append("€😀");
        }
        assertEquals(MAX_BYTES + 1, folded.toString().length());
        assertEquals(CallText.bound(whole.toString()), CallText.bound(folded.toString()));
    }

    private static DynamicTest reads(String name, String json, String text) {
        return DynamicTest.dynamicTest(name, () -> assertEquals(text, textOf(json)));
    }

    @TestFactory
    Stream<DynamicTest> content() {
        return Stream.of(
                reads("a plain string", "'Hi'", "Hi"),
                reads("nothing", "null", ""),
                reads("something that is no content", "7", ""),
                reads(
                        "texts of a kind, joined as they are",
                        "[{'type':'text','text':'a'},{'type':'input_text','text':' b'},"
                                + "{'type':'output_text','text':' c'}]",
                        "a b c"),
                reads("a refusal", "[{'type':'refusal','refusal':'No.'}]", "No."),
                reads(
                        "an image on a line of its own",
                        "[{'type':'text','text':'What?'},{'type':'image_url',"
                                + "'image_url':{'url':'data:image/png;base64,AAAA'}},{'type':'text',"
                                + "'text':'Tell.'}]",
                        "What?\n[image]\nTell."),
                reads("audio", "[{'type':'input_audio','input_audio':{'data':'AAAA'}}]", "[audio]"),
                reads("a file", "[{'type':'input_file','file_id':'f'}]", "[file]"),
                reads("a document", "[{'type':'document','source':{'data':'AAAA'}}]", "[document]"),
                reads("a file that is an image", "[{'type':'file','mediaType':'image/png'}]", "[image]"),
                reads("inline video", "{'parts':[{'inlineData':{'mimeType':'video/mp4'}}]}", "[video]"),
                reads("inline PDF", "[{'inlineData':{'mimeType':'application/pdf'}}]", "[file]"),
                reads("linked audio", "[{'fileData':{'mimeType':'audio/wav'}}]", "[audio]"),
                reads("an image that a model made", "{'type':'image_generation_call','result':'AA'}", "[image]"),
                reads("an unknown part", "[{'type':'web_search_call','id':'w'}]", "[web_search_call]"),
                reads("a data URL inside a text", "'a data:image/gif;base64,R0lG b'", "a [image/gif removed] b"),
                reads(
                        "an OpenAI message that calls tools",
                        "{'role':'assistant','content':'Wait.','tool_calls':[{'id':'1',"
                                + "'type':'function','function':{'name':'find','arguments':'{}'}}]}",
                        "Wait.\n[tool_call find({})]"),
                reads(
                        "an OpenAI message that refuses",
                        "{'role':'assistant','content':null,'refusal':'No.','tool_calls':null}",
                        "No."),
                reads(
                        "an OpenAI message that speaks",
                        "{'role':'assistant','content':null,'audio':{'data':'AA'," + "'transcript':'Hello.'}}",
                        "Hello."),
                reads(
                        "items of the responses API",
                        "[{'type':'reasoning','summary':[]},{'type':'message','role':'assistant',"
                                + "'content':[{'type':'output_text','text':'Done.'}]},"
                                + "{'type':'function_call','name':'find','arguments':'{}','call_id':'1'},"
                                + "{'type':'function_call_output','call_id':'1','output':'42'}]",
                        "Done.\n[tool_call find({})]\n42"),
                reads(
                        "Anthropic blocks",
                        "[{'type':'thinking','thinking':'Hm.','signature':'s'},{'type':'tool_use',"
                                + "'id':'1','name':'find','input':{'q':1}},{'type':'tool_result',"
                                + "'tool_use_id':'1','content':[{'type':'text','text':'42'},"
                                + "{'type':'image'}]},"
                                + "{'type':'text','text':'And?'}]",
                        "[tool_call find({\"q\":1})]\n42\n[image]\nAnd?"),
                reads(
                        "Google parts",
                        "{'role':'model','parts':[{'text':'Hm.','thought':true},{'text':'Wait.'},"
                                + "{'functionCall':{'name':'find','args':{'q':1}}},"
                                + "{'functionCall':{'name':'now'}},{'functionResponse':{'name':'find',"
                                + "'response':{'found':42}}}]}",
                        "Wait.\n[tool_call find({\"q\":1})]\n[tool_call now({})]\n{\"found\":42}"),
                reads(
                        "arguments as ECMAScript writes them",
                        "{'name':'f','input':{'a':[1.0,0.5,1e21,1e-7,-0.0,12345678901234567890,"
                                + "123e18,true,null,{},[]],'b':'\\u0001\\u0008\\n/\\ud83d'}}",
                        "[tool_call f({\"a\":[1,0.5,1e+21,1e-7,0,12345678901234567000,"
                                + "123000000000000000000,true,null,{},[]],"
                                + "\"b\":\"\\u0001\\b\\n/\\ud83d\"})]"));
    }

    private static DynamicTest joins(String name, String messages, String system, String text) {
        return DynamicTest.dynamicTest(name, () -> assertEquals(text, messagesOf(messages, system)));
    }

    @TestFactory
    Stream<DynamicTest> messages() {
        String user = "{'role':'user','content':'Hi'}";
        return Stream.of(
                joins("a lone string is itself", "'Hi'", null, "Hi"),
                joins("a lone message of the user is its text", "[" + user + "]", null, "Hi"),
                joins("a lone message of another role has it", "[{'role':'tool','content':'x'}]", null, "tool: x"),
                joins("parts are not a plain string", "[{'role':'user','content':[{'text':'Hi'}]}]", null, "user: Hi"),
                joins(
                        "messages are set apart",
                        "[" + user + ",{'role':'assistant','content':'Yo'}]",
                        null,
                        "user: Hi\n\nassistant: Yo"),
                joins("the system comes first", "'Hi'", "'Be kind.'", "system: Be kind.\n\nuser: Hi"),
                joins("a system may be blocks", "[" + user + "]", "[{'text':'B'}]", "system: B\n\nuser: Hi"),
                joins(
                        "an item without a role has none",
                        "[" + user + ",{'type':'function_call','name':'f','arguments':'{}'}]",
                        null,
                        "user: Hi\n\n[tool_call f({})]"),
                joins("nothing is nothing", null, null, ""));
    }

    private static DynamicTest survives(String name, Object value) {
        return DynamicTest.dynamicTest(
                name,
                () -> assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
                    String content = new TextWriter().write(value).toString();
                    for (String text : List.of(content, CallText.ofMessages(value, value))) {
                        assertTrue(CallText.bound(text).getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES);
                    }
                }));
    }

    @TestFactory
    Stream<DynamicTest> hostileShapesNeitherThrowNorTakeLong() {
        int levels = Json.MAX_DEPTH / 2;
        Object deep = Json.parse("{\"content\":[".repeat(levels) + "\"x\"" + "]}".repeat(levels));
        return Stream.of(
                survives("deep nesting", deep),
                survives("10 MB of text", "data:".repeat(2_000_000)),
                survives("10 MB of what may become a type", "data:" + "a".repeat(10_000_000)),
                survives("10 MB of an image inside a text", "data:image/png;base64," + "A".repeat(10_000_000)),
                survives("10 MB of parameters", "data:a/b" + ";a".repeat(5_000_000) + ";base64,"),
                survives("a million messages", Collections.nCopies(1_000_000, Map.of("role", "user", "content", "x"))),
                survives("a million empty parts", Collections.nCopies(1_000_000, "")),
                survives("a type that is no text", Map.of("type", Map.of("type", 7))));
    }
}
