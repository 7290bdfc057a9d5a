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
  --prefill-models LIST     without -m: skim for these models only (comma list)

Target
  --upstream URL            a server that runs already, instead of one that we start
  --llama-server PATH       the program to start (SKIMFILL_LLAMA_SERVER; default the one built with us)
  --max-ctx N               as -c N
  --draft FILE              as --spec-draft-model FILE
  --draft-block-size N      as --spec-draft-n-max N
  Every other flag goes to llama-server unchanged; llama-server --help lists them.

Server
  --host HOSTS              addresses to listen on, or Unix sockets that end in .sock; comma list
                            (LLAMA_ARG_HOST, default 127.0.0.1)
  --port N                  0 takes a free one (LLAMA_ARG_PORT, default 8080)
  --reuse-port              let other processes listen on the same port (LLAMA_ARG_REUSE_PORT)
  --api-prefix PATH         serve below this path (LLAMA_ARG_API_PREFIX)
  --ssl-key-file FILE, --ssl-cert-file FILE
                            serve https (LLAMA_ARG_SSL_KEY_FILE, LLAMA_ARG_SSL_CERT_FILE)
  --api-key KEYS            clients must bring one of these; comma list (LLAMA_API_KEY)
  --api-key-file FILE       the same, one a line, # begins a comment (LLAMA_ARG_API_KEY_FILE)
  --cors-origins LIST, --cors-methods LIST, --cors-headers LIST, --[no-]cors-credentials
                            which web pages may ask (LLAMA_ARG_CORS_…, default all; with llama-server's
                            --tools, --agent, --mcp-… only those of this machine)

Limits
  --max-parallel N          requests at the target at a time (SKIMFILL_MAX_PARALLEL, default the slots of the
                            llama-server that we start, 1024 with --upstream)
  --max-queue N             requests that wait for that, more are refused (SKIMFILL_MAX_QUEUE, default 256)
  --max-connections N       more are refused (SKIMFILL_MAX_CONNECTIONS, default 1024)
  --max-body-mib N          a larger request is refused (SKIMFILL_MAX_BODY_MIB, default 64)
  -to N, --timeout N        seconds that a client may stall within a request or reply (LLAMA_ARG_TIMEOUT,
                            default 30 and 60)
  --drain-seconds N         how long SIGTERM lets requests finish (SKIMFILL_DRAIN_SECONDS, default 30)

Log
  -lv N, -v                 how much to log on stderr, 0 to 5 (default 3); everything.
                            --log-file is llama-server's: it holds the target's log
)";

std::string version_line() { return std::string("skimfill ") + kVersion + "\n"; }

}  // namespace skimfill
