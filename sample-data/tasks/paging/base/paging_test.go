package paging

import "testing"

func TestFullPages(t *testing.T) {
	page, err := Cut([]int{1, 2, 3, 4}, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Items) != 2 || page.Items[0] != 3 {
		t.Errorf("items: %v", page.Items)
	}
	if page.HasNext() {
		t.Error("page 2 of 2 has no next")
	}
}

func TestPageZero(t *testing.T) {
	if _, err := Cut([]int{1, 2}, 0, 2); err != ErrNoSuchPage {
		t.Errorf("got %v", err)
	}
}
