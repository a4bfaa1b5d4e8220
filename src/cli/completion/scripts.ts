import type { CompletedCommand, CompletedOption } from './table.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Returns the script that completes the commands in a shell. It sends no request and starts no program. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  if (shell === 'bash') return bashScript(commands)
  return shell === 'zsh' ? zshScript(commands) : fishScript(commands)
}

function bashScript(commands: readonly CompletedCommand[]): string {
  return `# Completion of petstore for bash: eval "$(petstore completion bash)"
_petstore() {
  local line="\${COMP_LINE:0:COMP_POINT}" current='' option='' command='' mark prefix='' part word
  local -a words
  read -ra words <<< "$line"
  if [[ "$line" != *[[:space:]] ]]; then
    current="\${words[\${#words[@]}-1]}"
    words=("\${words[@]:0:\${#words[@]}-1}")
  fi
  COMPREPLY=()
  if (( \${#words[@]} <= 1 )); then
    COMPREPLY=($(compgen -W '${firstWords(commands)}' -- "$current"))
    return
  fi
  command="\${words[1]}"
  case "$command" in
    ${namesWithSubcommands(commands)}) (( \${#words[@]} > 2 )) && command="$command \${words[2]}" ;;
  esac
  option="\${words[\${#words[@]}-1]}"
  if [[ "$current" == --*=* ]]; then
    option="\${current%%=*}"
    prefix="$option="
  fi
  local flags='' values='' after='' files=''
  case "$command" in
${commandCases(commands, (flags, after) => `flags='${flags}' after='${after}'`)}
  esac
  case "$command:$option" in
${optionCases(commands, {
  ofValues: values => `values='${values}'`,
  ofFiles: 'files=true',
  ofText: 'files=false',
})}
  esac
  if [[ -n "$values" ]]; then
    for word in $values; do
      [[ "$prefix$word" == "$current"* ]] && COMPREPLY+=("$prefix$word")
    done
  elif [[ "$files" == true ]]; then
    [[ "\${current#"$prefix"}" == @* ]] && prefix="$prefix@"
    COMPREPLY=($(compgen -f -P "$prefix" -- "\${current#"$prefix"}"))
  elif [[ -n "$files" ]]; then
    return
  elif [[ "$current" == -* || -z "$after" ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ "$command" == "\${words[\${#words[@]}-1]}" ]]; then
    COMPREPLY=($(compgen -W "$after" -- "$current"))
  fi
  # Bash replaces only the text after the last ':' or '=', if COMP_WORDBREAKS contains it.
  local cut=''
  for mark in ':' '='; do
    if [[ "$COMP_WORDBREAKS" == *"$mark"* && "$current" == *"$mark"* ]]; then
      part="\${current%"\${current##*"$mark"}"}"
      (( \${#part} > \${#cut} )) && cut="$part"
    fi
  done
  COMPREPLY=("\${COMPREPLY[@]#"$cut"}")
}
complete -F _petstore petstore
`
}

function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef petstore
# Completion of petstore for zsh: source <(petstore completion zsh)
_petstore() {
  local command="\${words[2]}" option="\${words[CURRENT-1]}"
  local -a all flags after
  if (( CURRENT == 2 )); then
    all=(
${topLevel(commands)
  .map(command => `      ${quoted(`${command.names[0]}:${oneLine(command.description)}`)}`)
  .join('\n')}
    )
    _describe -t commands command all
    return
  fi
  case "$command" in
    ${namesWithSubcommands(commands)}) (( CURRENT > 3 )) && command="$command \${words[3]}" ;;
  esac
  case "$command" in
${commandCases(commands, (flags, after) => `flags=(${flags}); after=(${after})`)}
  esac
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    option="\${words[CURRENT]%%=*}"
    compset -P '*='
  fi
  case "$command:$option" in
${optionCases(commands, {
  ofValues: values => `compadd -- ${values}; return`,
  ofFiles: '_files; return',
  ofText: 'return',
})}
  esac
  if [[ "\${words[CURRENT]}" != -* && "$command" == "\${words[CURRENT-1]}" && $#after -gt 0 ]]; then
    compadd -a after
  else
    compadd -a flags
  fi
}
if [[ "\${funcstack[1]}" == _petstore ]]; then _petstore "$@"; else compdef _petstore petstore; fi
`
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = [
    '# Completion of petstore for fish: petstore completion fish | source',
    'complete -c petstore -f',
  ]
  for (const { names, description } of topLevel(commands)) {
    lines.push(
      `complete -c petstore -n __fish_use_subcommand -a ${names[0]} -d ${fishQuoted(oneLine(description))}`,
    )
  }
  for (const { names, options, words } of commands) {
    const [first = '', second = ''] = names.map(name => name.split(' ')[1] ?? name)
    const condition = fishQuoted(`__fish_seen_subcommand_from ${[first, second].join(' ').trimEnd()}`)
    if (words.length > 0) lines.push(`complete -c petstore -n ${condition} -a ${fishQuoted(words.join(' '))}`)
    for (const option of options) lines.push(fishOption(condition, option))
  }
  return `${lines.join('\n')}\n`
}

function fishOption(
  condition: string,
  { flag, description, values, takesValue, takesFile }: CompletedOption,
): string {
  const parts = ['complete -c petstore -n', condition, '-l', flag.replace(/^--/, '')]
  if (takesValue) parts.push(takesFile ? '-r -F' : '-x')
  if (values.length > 0) parts.push('-a', fishQuoted(values.join(' ')))
  return [...parts, '-d', fishQuoted(oneLine(description))].join(' ')
}

/** Returns the commands that are not subcommands. */
function topLevel(commands: readonly CompletedCommand[]): CompletedCommand[] {
  return commands.filter(({ names }) => !names[0]?.includes(' '))
}

function firstWords(commands: readonly CompletedCommand[]): string {
  return [...topLevel(commands).map(({ names }) => names[0]), 'help', '--help', '--version'].join(' ')
}

function namesWithSubcommands(commands: readonly CompletedCommand[]): string {
  return commands.flatMap(({ names, hasSubcommands }) => (hasSubcommands ? names : [])).join('|')
}

/** Returns a pattern of `case` for names, which can have a space. */
function pattern(names: readonly string[]): string {
  return names.map(name => `"${name}"`).join('|')
}

function flagWords({ options }: CompletedCommand): string {
  return [...options.map(({ flag }) => flag), '--help'].join(' ')
}

/** Returns a `case` branch for each command, with its options and the words that can follow its name. */
function commandCases(
  commands: readonly CompletedCommand[],
  textOf: (flags: string, after: string) => string,
): string {
  return commands
    .map(
      command => `    ${pattern(command.names)}) ${textOf(flagWords(command), command.words.join(' '))} ;;`,
    )
    .join('\n')
}

/** What a shell does after an option that takes one of a few values, a file, or any other text. */
interface OptionTexts {
  readonly ofValues: (values: string) => string
  readonly ofFiles: string
  readonly ofText: string
}

/** Returns the cases of all options that take a value. */
function optionCases(commands: readonly CompletedCommand[], texts: OptionTexts): string {
  const textOf = ({ values, takesFile }: CompletedOption): string =>
    values.length > 0 ? texts.ofValues(values.join(' ')) : takesFile ? texts.ofFiles : texts.ofText
  const places = commands.flatMap(({ names, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap(option => names.map(name => ({ place: `${name}:${option.flag}`, text: textOf(option) }))),
  )
  return [...Map.groupBy(places, ({ text }) => text)]
    .map(([text, group]) => `    ${pattern(group.map(({ place }) => place))}) ${text} ;;`)
    .join('\n')
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('`', '')
}

/** Returns a text in single quotes for zsh and bash. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Returns a text in single quotes for fish. Inside them, a backslash is an escape character. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
