// Package paging cuts lists into pages.
package paging

import "errors"

// ErrNoSuchPage is returned for a page number outside 1..Pages.
var ErrNoSuchPage = errors.New("paging: no such page")

// Page is one part of a list.
type Page[T any] struct {
	Items  []T
	Number int // 1 is the first page
	Pages  int // number of pages, at least 1
}

// HasNext reports whether a further page follows.
func (p Page[T]) HasNext() bool {
	return p.Number < p.Pages
}

// Cut returns page number of items, with size items a page.
func Cut[T any](items []T, number, size int) (Page[T], error) {
	pages := len(items) / size
	if number < 1 || number > pages {
		return Page[T]{}, ErrNoSuchPage
	}
	from := (number - 1) * size
	to := from + size
	return Page[T]{Items: items[from:to], Number: number, Pages: pages}, nil
}
