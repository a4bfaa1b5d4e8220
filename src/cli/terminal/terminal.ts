import { fstatSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { isatty } from 'node:tty'
import { escapeControls, escapeControlsInLines } from '../../values/control-characters.ts'

export { escapeControls }

// The exit codes of the commands, in addition to 0. A command that a signal interrupts exits with 129 (SIGHUP),
// 130 (SIGINT) or 143 (SIGTERM).
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
export const EXIT_UNAVAILABLE = 3
export const EXIT_DAMAGED = 4

/** An error that ends a command. Its message is printed on standard error; the process ends with `exitCode`. */
export class CommandFailed extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = EXIT_FAILED) {
    super(message)
    this.exitCode = exitCode
  }
}

/**
 * Writes a line for people to standard error, unless it is closed, with escaped control characters. (Standard output is
 * for programs.)
 */
export function say(line: string): void {
  try {
    process.stderr.write(`${escapeControlsInLines(line)}\n`)
  } catch {
    // There is nobody to notify.
  }
}

/**
 * Writes text to standard output: unchanged to a file or a pipe, and with escaped control characters to a terminal,
 * which would obey them. If the pipe is full, waits until it is drained, because the text may be endless. Throws
 * CommandFailed if a file cannot be written.
 */
export async function print(output: string): Promise<void> {
  if (!printNow(output)) await new Promise(drained => process.stdout.once('drain', drained))
}

/** Like `print`, but returns false if the pipe is full, instead of waiting. */
export function printNow(output: string): boolean {
  const text = process.stdout.isTTY ? escapeControlsInLines(output) : output
  // On a full disk, process.stdout retries forever, so a file is written directly. Such a write waits for no reader.
  if (!isFileOrDevice(process.stdout.fd)) return process.stdout.write(text)
  writeToFile(text)
  return true
}

function isFileOrDevice(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor)
    return (stats.isFile() || stats.isCharacterDevice()) && !isatty(descriptor)
  } catch {
    return false
  }
}

function writeToFile(text: string): void {
  const bytes = Buffer.from(text)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(process.stdout.fd, bytes, written)
  } catch (error) {
    throw new CommandFailed(`The output cannot be written: ${reasonOf(error)}.`)
  }
}

/**
 * Returns the message of an error without its full stop, to be used inside a sentence. A file that is written under a
 * temporary name has the name that the user gave.
 */
export function reasonOf(error: unknown): string {
  // SQLite creates files beside a database that it reads.
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_READONLY'))
    return 'its folder or its files cannot be written; copy the folder to a place that can be written, and use the copy'
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/\.$/, '').replaceAll(/\.\d+(?:-[\w-]+)?\.(tmp|petstore-draft)\b/g, '')
}

/** Returns the name of a file for a terminal, without its directory. */
export function fileName(path: string): string {
  return escapeControls(basename(path))
}
