//go:build tools

// Package main names restish, so that its version is pinned in go.mod.
package main

import _ "github.com/rest-sh/restish"
