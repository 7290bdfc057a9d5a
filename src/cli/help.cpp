#include "cli/help.h"

#include "core/build_info.h"

namespace skimfill {

const char kProgramHelp[] =
    R"(skimfill: a small model skims a long prompt, so that the large one reads only what the question needs.

  skimfill skim FILE --question TEXT [flags]   print the text of FILE that the question needs
  skimfill serve [flags]                       llama-server, with long prompts skimmed on the way
  skimfill --version
  skimfill COMMAND --help                      the flags of a command

Exit codes: 0 done, 1 failed, 2 bad use, 130 cancelled.
)";

const char kServeHelp[] = R"(skimfill serve: a llama-server that skims long prompts first.

  skimfill serve -m TARGET.gguf --prefill-drafter DRAFTER.gguf [llama-server's flags]
  skimfill serve --upstream http://HOST:PORT --prefill-drafter DRAFTER.gguf

Skimming (each also as a variable, LLAMA_ARG_PREFILL_…)
  --prefill-compression M   off, auto (skim where it pays) or always
                            (default auto with a drafter, off without)
  --prefill-drafter FILE    GGUF of the small model that reads first
  --prefill-keep-ratio R    share of the tokens to keep, above 0 and up to 1 (default 0.1)
  --prefill-budget N        never keep more than N tokens
  --prefill-threshold N     auto leaves prompts of fewer tokens alone (default 4096)
  --prefill-segment N       tokens read in one piece, 64 to 8192 (default 1024)
  --prefill-device NAME     such as CPU, CUDA0, Vulkan0 (default the first GPU, else CPU)
  --prefill-engine NAME     llama
  --prefill-mark TEXT       stands where text was left out, may be empty (default [...])

Target
  --upstream URL            a server that runs already, instead of one that we start
  --llama-server PATH       the program to start (SKIMFILL_LLAMA_SERVER; default the one built with us)
  --max-ctx N               as -c N
  --draft FILE              as --spec-draft-model FILE
  --draft-block-size N      as --spec-draft-n-max N
  Every other flag goes to llama-server unchanged; llama-server --help lists them.

Server
  --host HOST               address to listen on (LLAMA_ARG_HOST, default 127.0.0.1)
  --port N                  0 takes a free one (LLAMA_ARG_PORT, default 8080)
  -lv N, -v                 how much to log on stderr, 0 to 5 (default 3); everything.
                            --log-file is llama-server's: it holds the target's log
  Refused by name in this version: --api-key, --api-key-file, --api-prefix, --ssl-*, --cors-*, --timeout,
  --reuse-port.
)";

std::string version_line() { return std::string("skimfill ") + kVersion + "\n"; }

}  // namespace skimfill
