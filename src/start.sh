#!/bin/sh
# The program of `npm start` and `npm run sandboxes`. The runtime reads these variables before it runs any file, so main.ts cannot set them.
# A value of the user takes precedence. See "Memory" in docs/running.md.
export BUN_JSC_forceRAMSize="${BUN_JSC_forceRAMSize:-167772160}"
export BUN_JSC_mediumHeapGrowthFactor="${BUN_JSC_mediumHeapGrowthFactor:-1.65}"
export BUN_JSC_largeHeapGrowthFactor="${BUN_JSC_largeHeapGrowthFactor:-1.65}"
# With exec, the process takes the place of this shell: it gets the signals, and its exit code is that of the script.
exec bun --no-env-file --config=/dev/null "$(dirname "$0")/main.ts" "$@"
