// What llama-server answered to the same request at temperature 0: as a stream, asked for as
// as_stream_request() does, and in one piece. Recorded with SmolLM2 and the chat templates of Qwen 2.5 and
// DeepSeek R1.
#pragma once

#include <string_view>

#include "gateway/dialect/dialect.h"

namespace skimfill {

struct Recording {
  std::string_view name;
  Dialect dialect;
  std::string_view stream;
  std::string_view reply;
};

constexpr Recording
    kRecordings[] =
        {
            {.name = "chat_prefilled",
             .dialect = Dialect::chat,
             .stream =
                 R"~(data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796140012,"id":"chatcmpl-FGkNxaxmBAASXJFqMN3Qn11oVcxTTEWU","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":"The word"}}],"created":1796140012,"id":"chatcmpl-FGkNxaxmBAASXJFqMN3Qn11oVcxTTEWU","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","prompt_progress":{"total":41,"cache":40,"processed":40,"time_ms":0}}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796140012,"id":"chatcmpl-FGkNxaxmBAASXJFqMN3Qn11oVcxTTEWU","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","prompt_progress":{"total":41,"cache":40,"processed":41,"time_ms":23}}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796140012,"id":"chatcmpl-FGkNxaxmBAASXJFqMN3Qn11oVcxTTEWU","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":" \""}}],"created":1796140012,"id":"chatcmpl-FGkNxaxmBAASXJFqMN3Qn11oVcxTTEWU","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":"ok"}}],"created":1796140012,"id":"chatcmpl-FGkNxaxmBAASXJFqMN3Qn11oVcxTTEWU","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":"\""}}],"created":1796140012,"id":"chatcmpl-FGkNxaxmBAASXJFqMN3Qn11oVcxTTEWU","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":"length","index":0,"delta":{}}],"created":1796140012,"id":"chatcmpl-FGkNxaxmBAASXJFqMN3Qn11oVcxTTEWU","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[],"created":1796140012,"id":"chatcmpl-FGkNxaxmBAASXJFqMN3Qn11oVcxTTEWU","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","usage":{"completion_tokens":3,"prompt_tokens":41,"total_tokens":44,"prompt_tokens_details":{"cached_tokens":40}},"timings":{"cache_n":40,"prompt_n":1,"prompt_ms":23.622,"prompt_per_token_ms":23.622,"prompt_per_second":42.33341800016933,"predicted_n":3,"predicted_ms":43.094,"predicted_per_token_ms":21.547,"predicted_per_second":46.410173109945696}}

data: [DONE]

)~",
             .reply =
                 R"~({"choices":[{"finish_reason":"length","index":0,"message":{"role":"assistant","content":"The word \"ok\""}}],"created":1796140012,"model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion","usage":{"completion_tokens":3,"prompt_tokens":41,"total_tokens":44,"prompt_tokens_details":{"cached_tokens":40}},"id":"chatcmpl-N6BknvCDYEHWOFwZi8Le02raNM9lTRW6","timings":{"cache_n":40,"prompt_n":1,"prompt_ms":30.875,"prompt_per_token_ms":30.875,"prompt_per_second":32.388663967611336,"predicted_n":3,"predicted_ms":50.864,"predicted_per_token_ms":25.432,"predicted_per_second":39.320541050644856}})~"},
            {.name = "chat_thought",
             .dialect = Dialect::chat,
             .stream =
                 R"~(data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","prompt_progress":{"total":44,"cache":43,"processed":43,"time_ms":0}}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","prompt_progress":{"total":44,"cache":43,"processed":44,"time_ms":30}}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"reasoning_content":"\n\nThe"}}],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"reasoning_content":" sentence"}}],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"reasoning_content":" is"}}],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"reasoning_content":" a"}}],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"reasoning_content":" good"}}],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":"length","index":0,"delta":{}}],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[],"created":1796140017,"id":"chatcmpl-39mpb3nS3FjB4J4HZ2OS1aUSl6SeX8Il","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","usage":{"completion_tokens":6,"prompt_tokens":44,"total_tokens":50,"prompt_tokens_details":{"cached_tokens":43}},"timings":{"cache_n":43,"prompt_n":1,"prompt_ms":31.294,"prompt_per_token_ms":31.294,"prompt_per_second":31.95500734965169,"predicted_n":6,"predicted_ms":206.467,"predicted_per_token_ms":41.293400000000005,"predicted_per_second":24.216945080811946}}

data: [DONE]

)~",
             .reply =
                 R"~({"choices":[{"finish_reason":"length","index":0,"message":{"role":"assistant","content":"","reasoning_content":"\n\nThe sentence is a good"}}],"created":1796140017,"model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion","usage":{"completion_tokens":6,"prompt_tokens":44,"total_tokens":50,"prompt_tokens_details":{"cached_tokens":43}},"id":"chatcmpl-Rk5gSXNe5HQQL1Ugmmdwg6IY0SN7P3Wt","timings":{"cache_n":43,"prompt_n":1,"prompt_ms":63.32,"prompt_per_token_ms":63.32,"prompt_per_second":15.792798483891346,"predicted_n":6,"predicted_ms":171.041,"predicted_per_token_ms":34.2082,"predicted_per_second":29.23275705824919}})~"},
            {.name = "chat_tool",
             .dialect = Dialect::chat,
             .stream =
                 R"~(data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796139995,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","prompt_progress":{"total":271,"cache":270,"processed":270,"time_ms":0}}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796139995,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","prompt_progress":{"total":271,"cache":270,"processed":271,"time_ms":19}}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796139995,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"id":"eG3ztGtoFPtBgZ6CkRQUaGaCyOaKUzTt","type":"function","function":{"name":"dim","arguments":"{"}}]}}],"created":1796139996,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\""}}]}}],"created":1796139996,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"on"}}]}}],"created":1796139996,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\":"}}]}}],"created":1796139996,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" true"}}]}}],"created":1796139996,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}}],"created":1796139996,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":"tool_calls","index":0,"delta":{}}],"created":1796139996,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[],"created":1796139996,"id":"chatcmpl-ssEK3sAYaVBxerh7qJEi72oKyGP48mpc","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","usage":{"completion_tokens":27,"prompt_tokens":271,"total_tokens":298,"prompt_tokens_details":{"cached_tokens":270}},"timings":{"cache_n":270,"prompt_n":1,"prompt_ms":19.218,"prompt_per_token_ms":19.218,"prompt_per_second":52.03455094182537,"predicted_n":27,"predicted_ms":1021.712,"predicted_per_token_ms":39.296615384615386,"predicted_per_second":25.447484222559783}}

data: [DONE]

)~",
             .reply =
                 R"~({"choices":[{"finish_reason":"tool_calls","index":0,"message":{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"dim","arguments":"{\"on\": true}"},"id":"586MTFM2fFWgkVc4g7kqJVRu7gB2BLOu"}]}}],"created":1796139995,"model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion","usage":{"completion_tokens":27,"prompt_tokens":271,"total_tokens":298,"prompt_tokens_details":{"cached_tokens":270}},"id":"chatcmpl-b4yB8nbdEdX9iVsjWF3OnF1ls2u6ehcI","timings":{"cache_n":270,"prompt_n":1,"prompt_ms":23.663,"prompt_per_token_ms":23.663,"prompt_per_second":42.26006846131091,"predicted_n":27,"predicted_ms":578.007,"predicted_per_token_ms":22.23103846153846,"predicted_per_second":44.98215419536442}})~"},
            {.name = "chat_tools_cut",
             .dialect = Dialect::chat,
             .stream =
                 R"~(data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796140000,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","prompt_progress":{"total":199,"cache":198,"processed":198,"time_ms":0}}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796140000,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","prompt_progress":{"total":199,"cache":198,"processed":199,"time_ms":17}}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],"created":1796140000,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"id":"nIICmapYQmjzhhUlkwgMp4bgXYXCnOtt","type":"function","function":{"name":"dim","arguments":"{"}}]}}],"created":1796140000,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\n    \""}}]}}],"created":1796140000,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"on"}}]}}],"created":1796140000,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\":"}}]}}],"created":1796140000,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":" false"}}]}}],"created":1796140000,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\n}"}}]}}],"created":1796140000,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":1,"id":"lX9X4xYABrbABev5c54FH4WscdhfIRse","type":"function","function":{"name":"dim","arguments":"{"}}]}}],"created":1796140001,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\n    \""}}]}}],"created":1796140001,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"on"}}]}}],"created":1796140001,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":null,"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\":"}}]}}],"created":1796140002,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[{"finish_reason":"length","index":0,"delta":{}}],"created":1796140002,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk"}

data: {"choices":[],"created":1796140002,"id":"chatcmpl-Zfm3D0yez2hlEHJt4PQzeMowSqP5IYxN","model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion.chunk","usage":{"completion_tokens":48,"prompt_tokens":199,"total_tokens":247,"prompt_tokens_details":{"cached_tokens":198}},"timings":{"cache_n":198,"prompt_n":1,"prompt_ms":17.955,"prompt_per_token_ms":17.955,"prompt_per_second":55.69479253689781,"predicted_n":48,"predicted_ms":1809.826,"predicted_per_token_ms":38.50693617021277,"predicted_per_second":25.96934732952229}}

data: [DONE]

)~",
             .reply =
                 R"~({"choices":[{"finish_reason":"length","index":0,"message":{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"dim","arguments":"{\n    \"on\": false\n}"},"id":"9epbKkpwX6wJRreCEaFckNa2jfzvCIT1"},{"type":"function","function":{"name":"dim","arguments":"{\n    \"on\":"},"id":"9q82baQIWaD7qryEpyU6bPxIdcYlejkc"}]}}],"created":1796140000,"model":"smollm2","system_fingerprint":"b0-unknown","object":"chat.completion","usage":{"completion_tokens":48,"prompt_tokens":199,"total_tokens":247,"prompt_tokens_details":{"cached_tokens":198}},"id":"chatcmpl-NDa7DdewGfdcrmfrXtrjMGmXWjbB9BIk","timings":{"cache_n":198,"prompt_n":1,"prompt_ms":72.917,"prompt_per_token_ms":72.917,"prompt_per_second":13.714223020694762,"predicted_n":48,"predicted_ms":1296.3,"predicted_per_token_ms":27.580851063829787,"predicted_per_second":36.257039265602096}})~"},
            {.name = "completion",
             .dialect = Dialect::completion,
             .stream =
                 R"~(data: {"choices":[{"text":"","index":0,"logprobs":null,"finish_reason":null}],"created":1796140012,"model":"smollm2","system_fingerprint":"b0-unknown","object":"text_completion","id":"chatcmpl-nvXBw7OzVwJGTCaSbb078YigR7WBkcGB","prompt_progress":{"total":3,"cache":2,"processed":2,"time_ms":0}}

data: {"choices":[{"text":"","index":0,"logprobs":null,"finish_reason":null}],"created":1796140012,"model":"smollm2","system_fingerprint":"b0-unknown","object":"text_completion","id":"chatcmpl-nvXBw7OzVwJGTCaSbb078YigR7WBkcGB","prompt_progress":{"total":3,"cache":2,"processed":3,"time_ms":16}}

data: {"choices":[{"text":"-","index":0,"logprobs":null,"finish_reason":null}],"created":1796140012,"model":"smollm2","system_fingerprint":"b0-unknown","object":"text_completion","id":"chatcmpl-nvXBw7OzVwJGTCaSbb078YigR7WBkcGB"}

data: {"choices":[{"text":"digit","index":0,"logprobs":null,"finish_reason":null}],"created":1796140012,"model":"smollm2","system_fingerprint":"b0-unknown","object":"text_completion","id":"chatcmpl-nvXBw7OzVwJGTCaSbb078YigR7WBkcGB"}

data: {"choices":[{"text":" numbers","index":0,"logprobs":null,"finish_reason":null}],"created":1796140012,"model":"smollm2","system_fingerprint":"b0-unknown","object":"text_completion","id":"chatcmpl-nvXBw7OzVwJGTCaSbb078YigR7WBkcGB"}

data: {"choices":[{"text":" are","index":0,"logprobs":null,"finish_reason":null}],"created":1796140012,"model":"smollm2","system_fingerprint":"b0-unknown","object":"text_completion","id":"chatcmpl-nvXBw7OzVwJGTCaSbb078YigR7WBkcGB"}

data: {"choices":[{"text":"","index":0,"logprobs":null,"finish_reason":"length"}],"created":1796140012,"model":"smollm2","system_fingerprint":"b0-unknown","object":"text_completion","usage":{"completion_tokens":4,"prompt_tokens":3,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":2}},"id":"chatcmpl-nvXBw7OzVwJGTCaSbb078YigR7WBkcGB","timings":{"cache_n":2,"prompt_n":1,"prompt_ms":16.377,"prompt_per_token_ms":16.377,"prompt_per_second":61.06124442816145,"predicted_n":4,"predicted_ms":49.064,"predicted_per_token_ms":16.354666666666667,"predicted_per_second":61.144627425403556}}

data: [DONE]

)~",
             .reply =
                 R"~({"choices":[{"text":"-digit numbers are","index":0,"logprobs":null,"finish_reason":"length"}],"created":1796140012,"model":"smollm2","system_fingerprint":"b0-unknown","object":"text_completion","usage":{"completion_tokens":4,"prompt_tokens":3,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":2}},"id":"chatcmpl-eTNu3RuDcsIKdk7222sRyx2eptnqSuRd","timings":{"cache_n":2,"prompt_n":1,"prompt_ms":15.1,"prompt_per_token_ms":15.1,"prompt_per_second":66.22516556291392,"predicted_n":4,"predicted_ms":49.661,"predicted_per_token_ms":16.55366666666667,"predicted_per_second":60.40957693159622}})~"},
            {.name = "own",
             .dialect = Dialect::completion,
             .stream =
                 R"~(data: {"index":0,"content":"","tokens":[0],"stop":false,"id_slot":-1,"tokens_predicted":0,"tokens_evaluated":3,"prompt_progress":{"total":3,"cache":2,"processed":2,"time_ms":0}}

data: {"index":0,"content":"","tokens":[0],"stop":false,"id_slot":-1,"tokens_predicted":0,"tokens_evaluated":3,"prompt_progress":{"total":3,"cache":2,"processed":3,"time_ms":21}}

data: {"index":0,"content":"-","tokens":[29],"stop":false,"id_slot":-1,"tokens_predicted":1,"tokens_evaluated":3}

data: {"index":0,"content":"digit","tokens":[23141],"stop":false,"id_slot":-1,"tokens_predicted":2,"tokens_evaluated":3}

data: {"index":0,"content":" numbers","tokens":[2966],"stop":false,"id_slot":-1,"tokens_predicted":3,"tokens_evaluated":3}

data: {"index":0,"content":" are","tokens":[359],"stop":false,"id_slot":-1,"tokens_predicted":4,"tokens_evaluated":3}

data: {"index":0,"content":"","tokens":[],"id_slot":0,"stop":true,"model":"smollm2","tokens_predicted":4,"tokens_evaluated":3,"generation_settings":{"seed":4294967295,"temperature":0.0,"dynatemp_range":0.0,"dynatemp_exponent":1.0,"top_k":40,"top_p":0.949999988079071,"min_p":0.05000000074505806,"top_n_sigma":-1.0,"xtc_probability":0.0,"xtc_threshold":0.10000000149011612,"typical_p":1.0,"repeat_last_n":64,"repeat_penalty":1.0,"presence_penalty":0.0,"frequency_penalty":0.0,"dry_multiplier":0.0,"dry_base":1.75,"dry_allowed_length":2,"dry_penalty_last_n":64,"dry_sequence_breakers":["\n",":","\"","*"],"mirostat":0,"mirostat_tau":5.0,"mirostat_eta":0.10000000149011612,"adaptive_target":-1.0,"adaptive_decay":0.8999999761581421,"stop":[],"max_tokens":4,"n_predict":4,"n_keep":0,"n_discard":0,"ignore_eos":false,"stream":true,"logit_bias":[],"n_probs":0,"min_keep":0,"grammar":"","grammar_lazy":false,"grammar_triggers":[],"preserved_tokens":[],"chat_format":"Content-only","reasoning_format":"deepseek","reasoning_in_content":false,"generation_prompt":"","samplers":["penalties","dry","top_n_sigma","top_k","typ_p","top_p","min_p","xtc","temperature"],"speculative.types":"none","timings_per_token":false,"post_sampling_probs":false,"backend_sampling":false,"lora":[]},"prompt":"One two three","has_new_line":false,"truncated":false,"stop_type":"limit","stopping_word":"","tokens_cached":6,"timings":{"cache_n":2,"prompt_n":1,"prompt_ms":22.148,"prompt_per_token_ms":22.148,"prompt_per_second":45.15080368430558,"predicted_n":4,"predicted_ms":66.889,"predicted_per_token_ms":22.296333333333333,"predicted_per_second":44.85042383650526}}

)~",
             .reply =
                 R"~({"index":0,"content":"-digit numbers are","tokens":[],"id_slot":0,"stop":true,"model":"smollm2","tokens_predicted":4,"tokens_evaluated":3,"generation_settings":{"seed":4294967295,"temperature":0.0,"dynatemp_range":0.0,"dynatemp_exponent":1.0,"top_k":40,"top_p":0.949999988079071,"min_p":0.05000000074505806,"top_n_sigma":-1.0,"xtc_probability":0.0,"xtc_threshold":0.10000000149011612,"typical_p":1.0,"repeat_last_n":64,"repeat_penalty":1.0,"presence_penalty":0.0,"frequency_penalty":0.0,"dry_multiplier":0.0,"dry_base":1.75,"dry_allowed_length":2,"dry_penalty_last_n":64,"dry_sequence_breakers":["\n",":","\"","*"],"mirostat":0,"mirostat_tau":5.0,"mirostat_eta":0.10000000149011612,"adaptive_target":-1.0,"adaptive_decay":0.8999999761581421,"stop":[],"max_tokens":4,"n_predict":4,"n_keep":0,"n_discard":0,"ignore_eos":false,"stream":false,"logit_bias":[],"n_probs":0,"min_keep":0,"grammar":"","grammar_lazy":false,"grammar_triggers":[],"preserved_tokens":[],"chat_format":"Content-only","reasoning_format":"deepseek","reasoning_in_content":false,"generation_prompt":"","samplers":["penalties","dry","top_n_sigma","top_k","typ_p","top_p","min_p","xtc","temperature"],"speculative.types":"none","timings_per_token":false,"post_sampling_probs":false,"backend_sampling":false,"lora":[]},"prompt":"One two three","has_new_line":false,"truncated":false,"stop_type":"limit","stopping_word":"","tokens_cached":6,"timings":{"cache_n":2,"prompt_n":1,"prompt_ms":27.518,"prompt_per_token_ms":27.518,"prompt_per_second":36.339850279816844,"predicted_n":4,"predicted_ms":75.987,"predicted_per_token_ms":25.328999999999997,"predicted_per_second":39.48043744324687}})~"},
            {.name = "messages",
             .dialect = Dialect::messages,
             .stream = R"~(event: message_start
data: {"type":"message_start","message":{"id":"chatcmpl-O3MBjZktKPV8udKxRknE4wo7gvx7WR2d","type":"message","role":"assistant","content":[],"model":"smollm2","stop_reason":null,"stop_sequence":null,"usage":{"cache_read_input_tokens":38,"input_tokens":1,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"'m"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" sorry"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" for"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" any"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":5}}

event: message_stop
data: {"type":"message_stop"}

)~",
             .reply =
                 R"~({"id":"chatcmpl-B6HRLSaHg2bh1PLg6MKKwN4DCNn3IJYn","type":"message","role":"assistant","content":[{"type":"text","text":"I'm sorry for any"}],"model":"smollm2","stop_reason":"max_tokens","stop_sequence":null,"usage":{"cache_read_input_tokens":38,"input_tokens":1,"output_tokens":5}})~"},
            {.name = "messages_thought",
             .dialect = Dialect::messages,
             .stream = R"~(event: message_start
data: {"type":"message_start","message":{"id":"chatcmpl-4vQUeqDul7feCAekV9hbLLFEg3JS7fpe","type":"message","role":"assistant","content":[],"model":"smollm2","stop_reason":null,"stop_sequence":null,"usage":{"cache_read_input_tokens":43,"input_tokens":1,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"\n\nThe"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" sentence"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" is"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" a"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" good"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":""}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":6}}

event: message_stop
data: {"type":"message_stop"}

)~",
             .reply =
                 R"~({"id":"chatcmpl-pFb9rvP8VXeF17BMghgsDktwqpMYSqRg","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"\n\nThe sentence is a good","signature":""}],"model":"smollm2","stop_reason":"max_tokens","stop_sequence":null,"usage":{"cache_read_input_tokens":43,"input_tokens":1,"output_tokens":6}})~"},
            {.name = "messages_tools_cut",
             .dialect = Dialect::messages,
             .stream = R"~(event: message_start
data: {"type":"message_start","message":{"id":"chatcmpl-iZRwJSaIVfInzjGIxH1rNnYYi3tb3jpC","type":"message","role":"assistant","content":[],"model":"smollm2","stop_reason":null,"stop_sequence":null,"usage":{"cache_read_input_tokens":198,"input_tokens":1,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"rYUXita5uQsuvvTbctSxPVWMEFH6SsGX","name":"dim"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\n    \""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"on"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\":"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":" false"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\n}"}}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"vnveNrzocMsG9tOfByAKapXApmuyoEII","name":"dim"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\n    \""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"on"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\":"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"max_tokens","stop_sequence":null},"usage":{"output_tokens":48}}

event: message_stop
data: {"type":"message_stop"}

)~",
             .reply =
                 R"~({"id":"chatcmpl-yBnoJ92pvFrp9uQi3TftkO679A8sDXhZ","type":"message","role":"assistant","content":[{"type":"tool_use","id":"lRnAHVaIcBTr5Fe8nPfIBAhleiqbF9Gi","name":"dim","input":{"on":false}},{"type":"tool_use","id":"j9aWpVX3XEaB6IlIB91EtORS0ufxHesY","name":"dim","input":{}}],"model":"smollm2","stop_reason":"max_tokens","stop_sequence":null,"usage":{"cache_read_input_tokens":198,"input_tokens":1,"output_tokens":48}})~"},
            {.name = "responses",
             .dialect = Dialect::responses,
             .stream = R"~(event: response.created
data: {"type":"response.created","response":{"id":"resp_UH84aS2lMFLNuoUK6YFNpdAB059aniTO","object":"response","status":"in_progress"}}

event: response.in_progress
data: {"type":"response.in_progress","response":{"id":"resp_UH84aS2lMFLNuoUK6YFNpdAB059aniTO","object":"response","status":"in_progress"},"prompt_progress":{"total":36,"cache":35,"processed":35,"time_ms":0}}

event: response.in_progress
data: {"type":"response.in_progress","response":{"id":"resp_UH84aS2lMFLNuoUK6YFNpdAB059aniTO","object":"response","status":"in_progress"},"prompt_progress":{"total":36,"cache":35,"processed":36,"time_ms":28}}

event: response.output_item.added
data: {"type":"response.output_item.added","item":{"content":[],"id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","role":"assistant","status":"in_progress","type":"message"}}

event: response.content_part.added
data: {"type":"response.content_part.added","item_id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","part":{"type":"output_text","text":""}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","delta":"C"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","delta":"af"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","delta":"é"}

event: response.output_text.delta
data: {"type":"response.output_text.delta","item_id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","delta":"."}

event: response.output_text.done
data: {"type":"response.output_text.done","item_id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","text":"Café."}

event: response.content_part.done
data: {"type":"response.content_part.done","item_id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","part":{"type":"output_text","annotations":[],"logprobs":[],"text":"Café."}}

event: response.output_item.done
data: {"type":"response.output_item.done","item":{"type":"message","status":"completed","id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Café."}],"role":"assistant"}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_UH84aS2lMFLNuoUK6YFNpdAB059aniTO","object":"response","created_at":1796140014,"status":"completed","model":"smollm2","output":[{"type":"message","status":"completed","id":"msg_gvinFNj4PryUCi7csr7WqGJWmCmRobHw","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Café."}],"role":"assistant"}],"usage":{"input_tokens":36,"output_tokens":5,"total_tokens":41,"input_tokens_details":{"cached_tokens":35}}},"timings":{"cache_n":35,"prompt_n":1,"prompt_ms":28.409,"prompt_per_token_ms":28.409,"prompt_per_second":35.20011264036045,"predicted_n":5,"predicted_ms":102.816,"predicted_per_token_ms":25.704,"predicted_per_second":38.90445066915655}}

)~",
             .reply =
                 R"~({"completed_at":1796140014,"created_at":1796140014,"id":"resp_Lg9DWVbfnF1TBIixlzNz3E5BYCg46yaw","model":"smollm2","object":"response","output":[{"content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Café."}],"id":"msg_y6742G7QV512RYpGhK9EypOao8Duuyqq","role":"assistant","status":"completed","type":"message"}],"status":"completed","usage":{"input_tokens":36,"output_tokens":5,"total_tokens":41,"input_tokens_details":{"cached_tokens":35}}})~"},
            {.name = "responses_thought",
             .dialect = Dialect::responses,
             .stream = R"~(event: response.created
data: {"type":"response.created","response":{"id":"resp_QujVUsORGXnuWGbqBi8VTGdyY5JsYRZj","object":"response","status":"in_progress"}}

event: response.in_progress
data: {"type":"response.in_progress","response":{"id":"resp_QujVUsORGXnuWGbqBi8VTGdyY5JsYRZj","object":"response","status":"in_progress"},"prompt_progress":{"total":41,"cache":40,"processed":40,"time_ms":0}}

event: response.in_progress
data: {"type":"response.in_progress","response":{"id":"resp_QujVUsORGXnuWGbqBi8VTGdyY5JsYRZj","object":"response","status":"in_progress"},"prompt_progress":{"total":41,"cache":40,"processed":41,"time_ms":24}}

event: response.output_item.added
data: {"type":"response.output_item.added","item":{"id":"rs_3yEwb73POttM4qVSAiv4F6OHmCnqoeGZ","summary":[],"type":"reasoning","content":[],"encrypted_content":"","status":"in_progress"}}

event: response.reasoning_text.delta
data: {"type":"response.reasoning_text.delta","delta":"\n\nThe","item_id":"rs_3yEwb73POttM4qVSAiv4F6OHmCnqoeGZ"}

event: response.reasoning_text.delta
data: {"type":"response.reasoning_text.delta","delta":" sentence","item_id":"rs_3yEwb73POttM4qVSAiv4F6OHmCnqoeGZ"}

event: response.reasoning_text.delta
data: {"type":"response.reasoning_text.delta","delta":" is","item_id":"rs_3yEwb73POttM4qVSAiv4F6OHmCnqoeGZ"}

event: response.reasoning_text.delta
data: {"type":"response.reasoning_text.delta","delta":" a","item_id":"rs_3yEwb73POttM4qVSAiv4F6OHmCnqoeGZ"}

event: response.reasoning_text.delta
data: {"type":"response.reasoning_text.delta","delta":" bit","item_id":"rs_3yEwb73POttM4qVSAiv4F6OHmCnqoeGZ"}

event: response.output_item.done
data: {"type":"response.output_item.done","item":{"id":"rs_3yEwb73POttM4qVSAiv4F6OHmCnqoeGZ","summary":[],"type":"reasoning","content":[{"text":"\n\nThe sentence is a bit","type":"reasoning_text"}],"encrypted_content":""}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_QujVUsORGXnuWGbqBi8VTGdyY5JsYRZj","object":"response","created_at":1796140018,"status":"completed","model":"smollm2","output":[{"id":"rs_3yEwb73POttM4qVSAiv4F6OHmCnqoeGZ","summary":[],"type":"reasoning","content":[{"text":"\n\nThe sentence is a bit","type":"reasoning_text"}],"encrypted_content":""}],"usage":{"input_tokens":41,"output_tokens":6,"total_tokens":47,"input_tokens_details":{"cached_tokens":40}}},"timings":{"cache_n":40,"prompt_n":1,"prompt_ms":24.693,"prompt_per_token_ms":24.693,"prompt_per_second":40.49730692908921,"predicted_n":6,"predicted_ms":145.458,"predicted_per_token_ms":29.0916,"predicted_per_second":34.37418361313919}}

)~",
             .reply =
                 R"~({"completed_at":1796140018,"created_at":1796140018,"id":"resp_Na76CnrLxeDzgzodLtH9NH9t5xBLxYCL","model":"smollm2","object":"response","output":[{"id":"rs_inFs8UFI7YzkYkFPvwniWXSV0mNi37sb","summary":[],"type":"reasoning","content":[{"text":"\n\nThe sentence is a bit","type":"reasoning_text"}],"encrypted_content":"","status":"completed"}],"status":"completed","usage":{"input_tokens":41,"output_tokens":6,"total_tokens":47,"input_tokens_details":{"cached_tokens":40}}})~"},
            {.name = "responses_tool",
             .dialect = Dialect::responses,
             .stream = R"~(event: response.created
data: {"type":"response.created","response":{"id":"resp_kDFGETzJNYOtLIdGgV3uYZEcOgeR5lxX","object":"response","status":"in_progress"}}

event: response.in_progress
data: {"type":"response.in_progress","response":{"id":"resp_kDFGETzJNYOtLIdGgV3uYZEcOgeR5lxX","object":"response","status":"in_progress"},"prompt_progress":{"total":271,"cache":270,"processed":270,"time_ms":0}}

event: response.in_progress
data: {"type":"response.in_progress","response":{"id":"resp_kDFGETzJNYOtLIdGgV3uYZEcOgeR5lxX","object":"response","status":"in_progress"},"prompt_progress":{"total":271,"cache":270,"processed":271,"time_ms":24}}

event: response.output_item.added
data: {"type":"response.output_item.added","item":{"id":"fc_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q","arguments":"","call_id":"call_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q","name":"dim","type":"function_call","status":"in_progress"}}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","delta":"{","item_id":"fc_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","delta":"\"","item_id":"fc_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","delta":"on","item_id":"fc_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","delta":"\":","item_id":"fc_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","delta":" true","item_id":"fc_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q"}

event: response.function_call_arguments.delta
data: {"type":"response.function_call_arguments.delta","delta":"}","item_id":"fc_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q"}

event: response.output_item.done
data: {"type":"response.output_item.done","item":{"id":"fc_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q","type":"function_call","status":"completed","arguments":"{\"on\": true}","call_id":"call_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q","name":"dim"}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_kDFGETzJNYOtLIdGgV3uYZEcOgeR5lxX","object":"response","created_at":1796140011,"status":"completed","model":"smollm2","output":[{"id":"fc_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q","type":"function_call","status":"completed","arguments":"{\"on\": true}","call_id":"call_sTA2QtMGlSc4m6vfMkDPxRZib9GZak3Q","name":"dim"}],"usage":{"input_tokens":271,"output_tokens":27,"total_tokens":298,"input_tokens_details":{"cached_tokens":270}}},"timings":{"cache_n":270,"prompt_n":1,"prompt_ms":24.323,"prompt_per_token_ms":24.323,"prompt_per_second":41.113349504584136,"predicted_n":27,"predicted_ms":601.3,"predicted_per_token_ms":23.126923076923074,"predicted_per_second":43.23964743056711}}

)~",
             .reply =
                 R"~({"completed_at":1796140011,"created_at":1796140011,"id":"resp_yEPQAnOwrUojHSK1vvEyfCDTDRTILirQ","model":"smollm2","object":"response","output":[{"id":"fc_HVOlhHLmvjVzy70f7r0BYXeoOdIlbIQq","type":"function_call","status":"completed","arguments":"{\"on\": true}","call_id":"call_HVOlhHLmvjVzy70f7r0BYXeoOdIlbIQq","name":"dim"}],"status":"completed","usage":{"input_tokens":271,"output_tokens":27,"total_tokens":298,"input_tokens_details":{"cached_tokens":270}}})~"},
};

}  // namespace skimfill
