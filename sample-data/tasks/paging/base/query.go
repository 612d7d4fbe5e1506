package paging

import (
	"fmt"
	"strconv"
)

// DefaultSize is used when a request names no page size.
const DefaultSize = 20

// Query is the page a request asks for.
type Query struct {
	Number int
	Size   int
}

// ParseQuery reads the "page" and "size" values of a request; empty means the default.
func ParseQuery(page, size string) (Query, error) {
	query := Query{Number: 1, Size: DefaultSize}
	var err error
	if page != "" {
		if query.Number, err = strconv.Atoi(page); err != nil {
			return Query{}, fmt.Errorf("page: %w", err)
		}
	}
	if size != "" {
		if query.Size, err = strconv.Atoi(size); err != nil {
			return Query{}, fmt.Errorf("size: %w", err)
		}
	}
	return query, nil
}
