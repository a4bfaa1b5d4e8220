//go:build tools

// Package main names the generator, so that its version is pinned in go.mod.
package main

import _ "github.com/ogen-go/ogen/cmd/ogen"
