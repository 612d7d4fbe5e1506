package paging

import "testing"

func TestHiddenShortLastPage(t *testing.T) {
	page, err := Cut([]int{1, 2, 3, 4, 5}, 3, 2)
	if err != nil || len(page.Items) != 1 || page.Items[0] != 5 || page.Pages != 3 {
		t.Fatalf("%v, %v", page, err)
	}
}

func TestHiddenEmptyList(t *testing.T) {
	page, err := Cut([]string{}, 1, 10)
	if err != nil || len(page.Items) != 0 || page.Pages != 1 || page.HasNext() {
		t.Fatalf("%v, %v", page, err)
	}
}

func TestHiddenSizeZero(t *testing.T) {
	defer func() {
		if reason := recover(); reason != nil {
			t.Fatalf("panic: %v", reason)
		}
	}()
	if _, err := Cut([]int{1}, 1, 0); err == nil {
		t.Fatal("no error for size 0")
	}
}

func TestHiddenFullPages(t *testing.T) {
	page, err := Cut([]int{1, 2, 3, 4}, 1, 2)
	if err != nil || len(page.Items) != 2 || page.Pages != 2 || !page.HasNext() {
		t.Fatalf("%v, %v", page, err)
	}
}

func TestHiddenBeyondTheEnd(t *testing.T) {
	if _, err := Cut([]int{1, 2, 3}, 3, 2); err != ErrNoSuchPage {
		t.Fatalf("got %v", err)
	}
}
